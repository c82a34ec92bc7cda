import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process that has said where it listens. */
export interface Running {
  readonly url: string
  /** SIGKILL, to it and to all that it has started; resolves when none of them is left. */
  kill(): Promise<void>
}

const LONGEST_START = 60_000

export async function start(command: string, args: readonly string[]): Promise<Running> {
  // In a group of its own, so that an engine which it starts dies with it.
  const child = spawn(command, args, { stdio: 'pipe', detached: true })
  let said = ''
  child.stderr.on('data', (text) => (said = `${said}${text}`.slice(-4000)))
  const failed = Promise.race([
    once(child, 'error').then(([error]) => String(error)),
    once(child, 'exit').then(([code]) => `it ended with ${code}`),
    sleep(LONGEST_START, 'it did not say where it listens', { ref: false }),
  ])
  const url = await Promise.race([urlFrom(child.stdout), failed.then((why) => ({ why }))])
  if (typeof url !== 'string') {
    endGroup(child.pid)
    throw new Error(`${command} ${args.join(' ')} could not be started: ${url.why}\n${said}`)
  }
  return {
    url,
    async kill() {
      for (let tries = 0; endGroup(child.pid) && tries < 500; tries++) await sleep(10)
    },
  }
}

async function urlFrom(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stdout))
    if (line.startsWith('{"url":')) return (JSON.parse(line) as { url: string }).url
  return new Promise(() => {})
}

/** Whether any of it was left. */
function endGroup(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}
