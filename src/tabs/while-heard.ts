import { listeners, type Events, type Tell } from './events.ts'

/** News that are looked for only while anybody listens: `begin` does, and gives what stops it. */
export function whileHeard(begin: (tell: Tell) => () => void): Pick<Events, 'subscribe' | 'close'> {
  const all = listeners()
  let end: (() => void) | undefined
  const stop = (): void => {
    end?.()
    end = undefined
  }
  return {
    subscribe(listener) {
      const leave = all.add(listener)
      end ??= begin(all.tell)
      return () => {
        leave()
        if (all.isEmpty()) stop()
      }
    },
    close() {
      all.clear()
      stop()
    },
  }
}
