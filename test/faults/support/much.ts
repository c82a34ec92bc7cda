/** More than fits into memory twice, and what carries it from one store to another. */
import type { Checkpointer } from 'forkpoint'

interface Much {
  readonly n: number
  readonly text: string
}

const MB = 1_000_000
/** Each checkpoint weighs so much, and no two have anything in common. */
const A_SAVE = 256 * 1024
/** In so many threads, each with a fork. */
const SAVES_A_THREAD = 40

/** Saves until so many megabytes are stored; gives how many checkpoints that took. */
export async function fillMuch(checkpointer: Checkpointer, megabytes: number): Promise<number> {
  const saves = Math.ceil((megabytes * MB) / A_SAVE)
  for (let n = 0; n < saves; n++) {
    const thread = checkpointer.thread<Much>(`thread ${Math.floor(n / SAVES_A_THREAD)}`)
    await thread.save({ n, text: noise() })
    if (n % SAVES_A_THREAD === SAVES_A_THREAD >> 1) await thread.fork({ as: `fork ${n}` })
  }
  return saves
}

/** What a look at memory needs to know of. */
export type Tell = (bytes: number) => void | Promise<void>

/** Takes the file as it is made, and keeps nothing of it. */
export async function takeMuch(checkpointer: Checkpointer, compress: boolean, tell: Tell): Promise<number> {
  let bytes = 0
  for await (const piece of checkpointer.export(undefined, { compress })) {
    bytes += piece.length
    await tell(bytes)
  }
  return bytes
}

/** From one store into another, without a file in between. */
export async function carryMuch(from: Checkpointer, to: Checkpointer, tell: Tell): Promise<number> {
  const told = async function* (): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const piece of from.export()) {
      bytes += piece.length
      await tell(bytes)
      yield piece
    }
  }
  return (await to.import(told(), { limits: { bytes: 4_000 * MB } })).checkpoints
}

/** Of random letters: nothing packs it, and nothing but it is in memory. */
function noise(): string {
  const bytes = new Uint8Array(A_SAVE)
  for (let from = 0; from < A_SAVE; from += 65_536)
    crypto.getRandomValues(bytes.subarray(from, from + 65_536))
  return new TextDecoder('latin1').decode(bytes.map((byte) => 35 + (byte % 56)))
}
