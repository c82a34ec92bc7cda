import { CheckpointerError, type Host } from 'forkpoint'
import { mapHost, onlyReads } from '../../src/operations/verbs.ts'

/**
 * A host as it is behind a worker that can be lost: calls arrive in their order, and when it is lost all that are out
 * are rejected, whether or not they had begun. What had begun ends before anything of the next worker begins.
 */
export function losableHost(
  host: Host,
  random: () => number,
): { readonly host: Host; readonly lose: () => void } {
  let life = newLife()
  let line: Promise<unknown> = Promise.resolve()
  return {
    lose() {
      const { begun, lose } = life
      const before = line
      line = Promise.allSettled([before, ...begun])
      life = newLife()
      lose()
    },
    host: mapHost(host, (run, verb) => async (request) => {
      const { begun, lost, isOver } = life
      const arrived = line.then(() => turns(random() * 4))
      line = arrived
      const work = async (): Promise<unknown> => {
        await arrived
        if (isOver()) return lost
        const running = run(request)
        begun.add(running)
        return running
      }
      return Promise.race([work(), lost]).catch((error: unknown) => {
        throw isOver() && onlyReads(verb) ? lostWith('none') : error
      })
    }),
  }
}

interface Life {
  readonly begun: Set<Promise<unknown>>
  readonly lost: Promise<never>
  readonly lose: () => void
  readonly isOver: () => boolean
}

function newLife(): Life {
  let isOver = false
  let lose = (): void => {}
  const lost = new Promise<never>((_, reject) => {
    lose = () => {
      isOver = true
      reject(lostWith('unknown'))
    }
  })
  lost.catch(() => undefined)
  return { begun: new Set(), lost, lose, isOver: () => isOver }
}

const lostWith = (outcome: 'none' | 'unknown'): CheckpointerError =>
  new CheckpointerError('WORKER_LOST', 'Lost.', { outcome })

async function turns(count: number): Promise<void> {
  for (let left = count; left >= 1; left--) await new Promise((resolve) => setTimeout(resolve, 0))
}
