/** A page whose store is on a server, and whose run does not come to its end before it goes. */
import { openCheckpointer, type Loop } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'

export interface ServedPage {
  /** Resolves when the run is under way. */
  begin(): Promise<void>
  /** How many milliseconds it takes until the run goes on and has ended, and what it has come to. */
  goOn(): Promise<{ readonly took: number; readonly result: unknown; readonly status: string }>
}

declare global {
  var served: ServedPage
}

const opening = openCheckpointer({ name: 'served', host: remoteHost('/store/') })
const thread = async () => (await opening).thread<{ steps: number }>('t')
const options = { runId: 'run', initial: { steps: 0 } } as const

globalThis.served = {
  async begin() {
    const own = await thread()
    await new Promise<void>((resolve) => {
      void own
        .run(options, async (loop: Loop<{ steps: number }>) => {
          await loop.step('first', () => 1, { effect: 'external' })
          resolve()
          await new Promise(() => {})
        })
        .catch(() => {})
    })
  },
  async goOn() {
    const started = performance.now()
    const { result, status } = await (
      await thread()
    ).run(options, (loop) => loop.step('first', () => 2, { effect: 'external' }))
    return { took: performance.now() - started, result, status }
  },
}
