import type { GivenHost } from '../../src/open-checkpointer.ts'

/** The same host, with every call counted: behind a worker each is a message, and an answer to it. */
export function countingHost(host: GivenHost): {
  readonly host: GivenHost
  readonly calls: { messages: number }
} {
  const calls = { messages: 0 }
  const counted = new Proxy(host, {
    get(of, name, receiver) {
      const verb = Reflect.get(of, name, receiver) as unknown
      if (typeof verb !== 'function') return verb
      return (...given: unknown[]): unknown => {
        calls.messages++
        return verb.apply(of, given)
      }
    },
  })
  return { host: counted, calls }
}
