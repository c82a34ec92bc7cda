import type { Checkpointer } from '../../../src/index.ts'
import { createCodec } from '../../../src/state/codec.ts'
import { PLACES, typesOfRich } from './rich.ts'

const codec = createCodec(typesOfRich)
/** Runs in pages too, where nothing prints a value of every kind. */
const textOf = (value: unknown): string => JSON.stringify(codec.capture(value).state)

/** Every state of the rich database that can be read, as text, by place and seq; those that cannot, by their code. */
export async function statesOf(checkpointer: Checkpointer): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [id, namespace] of PLACES) {
    const thread = checkpointer.thread(id, { namespace })
    const read = async (seq: number): Promise<string | undefined> => {
      try {
        const loaded = await thread.load(seq)
        return loaded && textOf([loaded.id, loaded.label, loaded.state, loaded.pendingWrites])
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    const texts = await Promise.all(SEQS.map(read))
    texts.forEach((text, i) => text !== undefined && found.set(`${id}/${namespace}/${SEQS[i]}`, text))
  }
  return found
}

export const SEQS: readonly number[] = Array.from({ length: 22 }, (_, i) => i + 1)
