import { setTimeout as sleep } from 'node:timers/promises'

/** Until it gives something, for as long as a browser may take to start on a busy machine. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await Promise.resolve()
      .then(look)
      .catch(() => undefined)
    if (found !== undefined) return found
    await sleep(100)
  }
  throw new Error('The browser with the extension did not start within a minute')
}
