import { inspect } from 'node:util'
import type { Checkpointer } from '../../../src/index.ts'
import { PLACES } from './rich.ts'

/** Every state that can be read, as text, by thread, namespace and seq; those that cannot, by their code. */
export async function statesOf(
  checkpointer: Checkpointer,
  places: readonly (readonly [thread: string, namespace: string])[] = PLACES,
  seqs: readonly number[] = Array.from({ length: 22 }, (_, i) => i + 1),
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [id, namespace] of places) {
    const thread = checkpointer.thread(id, { namespace })
    for (const seq of seqs) {
      const name = `${id}/${namespace}/${seq}`
      try {
        const loaded = await thread.load(seq)
        if (loaded)
          found.set(
            name,
            inspect([loaded.id, loaded.label, loaded.state, loaded.pendingWrites], {
              depth: 20,
              maxStringLength: null,
              maxArrayLength: null,
            }),
          )
      } catch (error) {
        found.set(name, (error as { code: string }).code)
      }
    }
  }
  return found
}
