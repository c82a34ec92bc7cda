import type { StepWork } from 'forkpoint/xstate'

/** What the service was asked: it knows by the key what it has been asked before. */
export const asked: string[] = []

/** Stands for a service that takes its time: the page goes before it has answered. */
export const pay: StepWork<string, readonly string[]> = ({ input, key, attempt }) => {
  asked.push(key)
  return attempt === 1 ? new Promise<string>(() => {}) : `receipt of ${input.join()}`
}
