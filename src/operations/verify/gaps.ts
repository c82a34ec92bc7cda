import { seqOf } from '../../storage/keys.ts'
import type { Key, Row } from '../../storage/storage.ts'
import type { Family } from '../store/family.ts'
import { expectedIn } from './expected.ts'
import type { Finding } from './finding.ts'

/** What threads show between neighbouring rows, where nothing stands. `after`: the row before the first one. */
export function missingBetween(
  { partition, threads }: Family,
  rows: readonly Row[],
  after: Key | undefined,
  isLast: boolean,
): Finding[] {
  const keys = [...(after ? [after] : []), ...rows.map(({ key }) => key)]
  const gaps = keys.flatMap((key, i): Gap[] => {
    const before = keys[i - 1]
    const [lane, seq] = [String(key[0]), seqOf(key)]
    const isNeighbour = before !== undefined && before[0] === key[0]
    return [
      ...(before && !isNeighbour ? [endOf(before)] : []),
      ...(i === 0 && after ? [] : [{ lane, from: isNeighbour ? seqOf(before) + 1 : 0, to: seq - 1 }]),
      ...(isLast && i === keys.length - 1 ? [endOf(key)] : []),
    ]
  })
  return gaps.flatMap(({ lane, from, to }) =>
    expectedIn(threads, lane, from, to).map((wanted): Finding => {
      const { thread, namespace } = wanted.thread.facts
      const [first, last] = [wanted.from, wanted.to]
      const problem =
        first === last ? `Checkpoint ${first} is missing.` : `Checkpoints ${first} to ${last} are missing.`
      const gap = { lane, from: first, to: last }
      return { kind: 'missing', table: 'checkpoints', partition, thread, namespace, seq: first, gap, problem }
    }),
  )
}

interface Gap {
  readonly lane: string
  readonly from: number
  readonly to: number
}

const endOf = (key: Key): Gap => ({
  lane: String(key[0]),
  from: seqOf(key) + 1,
  to: Number.MAX_SAFE_INTEGER,
})
