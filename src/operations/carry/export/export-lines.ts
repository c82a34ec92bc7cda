import { CheckpointerError } from '../../../errors.ts'
import { pauses } from '../../../state/slices/pause.ts'
import { CURRENT_FORMAT } from '../../../storage/format-version.ts'
import { threadKey } from '../../../storage/keys.ts'
import type { Store } from '../../store/store.ts'
import { withoutOrigin } from '../../shapes/origin.ts'
import { noThread } from '../../store/threads.ts'
import { CHANGED, checkpointLines, type Leaving } from './rows.ts'
import { writeLines } from './writes.ts'
import { FamilyView } from './family-view.ts'
import { LeftOut } from './left-out.ts'
import { Proof } from './proof.ts'
import { EXPORT_VERSION, Tally, type ExportLine } from '../lines.ts'

/** How often one family is begun again because a removal passed while it was read. */
const TRIES = 8

export interface ExportOf {
  /** All threads when absent. */
  readonly ids?: readonly string[]
  /** Where threads come from is told of these and of `ids`; of all when absent. */
  readonly origins?: readonly string[]
  readonly onDamage: 'refuse' | 'skip'
}

/** Every line of an export, in order. Refuses an unknown id before the first. */
export async function* exportLines(
  store: Store,
  { ids, origins, onDamage }: ExportOf,
  partitions: AsyncIterable<string>,
): AsyncGenerator<ExportLine> {
  const families = ids && (await familiesOf(store, ids))
  const tally = new Tally()
  const shown = origins && new Set([...origins, ...(ids ?? [])])
  const told = (whole: ExportLine): ExportLine => {
    const isHidden = whole.kind === 'thread' && whole.forkOf && shown?.has(whole.forkOf.thread) === false
    const line = isHidden ? withoutOrigin(whole) : whole
    tally.see(line)
    return line
  }
  yield told({
    kind: 'forkpoint-export',
    version: EXPORT_VERSION,
    format: CURRENT_FORMAT,
    createdAt: Date.now(),
  })
  for await (const partition of families?.keys() ?? partitions)
    for await (const line of familyLines(store, partition, families?.get(partition), onDamage === 'skip'))
      yield told(line)
  yield { kind: 'end', ...tally.counts }
}

/** The threads that were asked for, by the partition that they live in. */
async function familiesOf(store: Store, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const families = new Map<string, Set<string>>()
  for (const thread of ids) {
    const found = await store.storage.locate(threadKey(thread, ''))
    if (!found) throw noThread({ thread, namespace: '' })
    families.set(found.partition, (families.get(found.partition) ?? new Set()).add(thread))
  }
  return families
}

/** One family as it was at one moment. When a removal passes, its lines are taken back and come anew. */
async function* familyLines(
  store: Store,
  partition: string,
  wanted: ReadonlySet<string> | undefined,
  leaveOut: boolean,
): AsyncGenerator<ExportLine> {
  const seqs = new LeftOut()
  const leaving: Leaving = {
    seqs,
    out(error) {
      if (!leaveOut) throw error
      store.warn(new CheckpointerError(error.code, `Left out of the export: ${error.message}`, error))
    },
  }
  for (let tried = 0; tried < TRIES; tried++) {
    seqs.clear()
    const view = await FamilyView.read(store, partition, wanted, leaveOut)
    if (view.threads.length === 0 && tried === 0) return
    yield { kind: tried === 0 ? 'family' : 'again' }
    for (const facts of view.threads) yield view.threadLine(facts)
    let isWhole = true
    for await (const line of rowLines(store, view, leaving)) {
      if (line !== CHANGED) yield line
      else isWhole = false
      if (!isWhole) break
    }
    if (isWhole) return
  }
  throw new CheckpointerError(
    'CONFLICT',
    `Checkpoints were removed ${TRIES} times while they were exported. Try again later.`,
  )
}

async function* rowLines(
  store: Store,
  view: FamilyView,
  leaving: Leaving,
): AsyncGenerator<ExportLine | typeof CHANGED> {
  const pause = pauses()
  const proof = new Proof(store, view.partition)
  for (const number of view.lanes.keys())
    yield* checkpointLines(store, view, number, { leaving, proof }, pause)
  for (const thread of view.threads) yield* writeLines(store, view, thread, leaving, pause)
}
