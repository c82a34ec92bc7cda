import { CheckpointerError } from '../../errors.ts'
import { joinInSlices } from '../../state/slices/join.ts'
import type { Pause } from '../../state/slices/pause.ts'
import { partKey } from '../../storage/keys.ts'
import type { Limits, Put, Row } from '../../storage/storage.ts'
import { holds, isCount, isName, isPair, isTime } from '../shapes/shape.ts'
import { seal, unsealAs } from './seal.ts'

/** A payload up to this size stands in its row; a larger one apart, so that lists stay quick to read. */
const INLINE_BYTES = 16 * 1024
/** Room for a row's head beside its body. */
const HEAD_BYTES = 8 * 1024
/** Less than this leaves no room for a piece of a payload. */
export const LEAST_VALUE_BYTES = HEAD_BYTES + 512

export interface PlacedPayload {
  /** For the row itself. */
  readonly inline?: Uint8Array
  /** What names its parts, when it is in some. */
  readonly named: { readonly parts?: readonly [owner: string, count: number] }
  readonly puts: readonly Put[]
}

/** Bytes that are summed in a millisecond before the engine has made that quick, which is what a page meets at its first load. */
const SUMMED_A_MS = 768 * 1024

const timeToSum = (bytes: number): number => bytes / SUMMED_A_MS

interface PayloadPlace {
  readonly lane: string
  readonly seq: number
  readonly newOwner: () => string
}

/** Decides where a payload goes: into its row, or into rows of `parts`. */
export function placePayload(
  limits: Limits,
  partition: string,
  at: PayloadPlace,
  body: Uint8Array,
): PlacedPayload {
  if (isInline(limits, body)) return { inline: body, named: {}, puts: [] }
  const owner = at.newOwner()
  const puts = [...partPuts(limits, partition, at, owner, body)]
  return { named: { parts: [owner, puts.length] }, puts }
}

/** The same with pauses between the parts. */
export async function placeInSlices(
  limits: Limits,
  partition: string,
  at: PayloadPlace,
  body: Uint8Array,
  pause: Pause,
): Promise<PlacedPayload> {
  if (isInline(limits, body)) return placePayload(limits, partition, at, body)
  const owner = at.newOwner()
  const puts: Put[] = []
  for (const put of partPuts(limits, partition, at, owner, body)) {
    puts.push(put)
    const due = pause(timeToSum(put.body?.length ?? 0))
    if (due) await due
  }
  return { named: { parts: [owner, puts.length] }, puts }
}

const isInline = (limits: Limits, body: Uint8Array): boolean =>
  body.length <= Math.min(INLINE_BYTES, limits.valueBytes - HEAD_BYTES)

function* partPuts(
  limits: Limits,
  partition: string,
  at: PayloadPlace,
  owner: string,
  body: Uint8Array,
): Generator<Put> {
  const size = Math.min(limits.valueBytes - HEAD_BYTES, body.length)
  const count = Math.ceil(body.length / size)
  const facts: PartFacts = { at: Date.now() }
  for (let number = 0; number < count; number++) {
    const key = partKey(at.lane, at.seq, owner, number)
    // A copy, so that the checksum runs over aligned words and no storage keeps the whole buffer for a part.
    const piece = count === 1 ? body : body.slice(number * size, (number + 1) * size)
    yield { table: 'parts', key, head: seal(partition, 'parts', key, facts, piece), body: piece }
  }
}

/** The facts of a part: when, as one that nobody names may be on its way, or left over from a writer that died. */
interface PartFacts {
  readonly at: number
}

const isPart = holds<PartFacts>({ at: isTime })

export const openPart = (partition: string, part: Row): PartFacts =>
  unsealAs(partition, 'parts', part, isPart)

/** What names the parts of a payload: whose they are, and how many. */
export const isParts = isPair(isName, isCount)

/** The other way round; `parts` are the rows found, in order of their keys. */
export async function joinPayload(
  partition: string,
  row: Row,
  count: number,
  size: number,
  parts: readonly Row[],
  pause: Pause,
): Promise<Uint8Array> {
  const pieces = count === 0 ? [row.body ?? new Uint8Array()] : []
  for (const part of count === 0 ? [] : parts) {
    const due = pause(timeToSum(part.body?.length ?? 0))
    if (due) await due
    openPart(partition, part)
    pieces.push(part.body ?? new Uint8Array())
  }
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const wanted = count === 0 ? 1 : count
  if (pieces.length !== wanted || total !== size) {
    throw new CheckpointerError(
      'CORRUPT',
      `${pieces.length} of ${wanted} parts with ${total} of ${size} bytes were found for ${JSON.stringify(row.key)}.`,
      {
        seq: row.key[1] as number,
      },
    )
  }
  if (pieces.length === 1) return pieces[0] as Uint8Array
  return joinInSlices(pieces, pause)
}
