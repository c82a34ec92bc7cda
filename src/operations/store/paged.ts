import { CheckpointerError } from '../../errors.ts'
import type { ExportPageReply, ImportPageReply, RepairReply } from '../host.ts'
import type { Store } from './store.ts'

/** Long work that is done a page at a time, as its caller asks for more. */
export interface Paged<Run> {
  /** The page that comes next. */
  page: number
  readonly run: Run
  end(): Promise<void>
}

export type ExportPages = () => Promise<ExportPageReply>
export type ImportPages = (bytes: Uint8Array, isLast: boolean) => Promise<ImportPageReply>
export type RepairPages = () => Promise<RepairReply>

/** What is under way here, by the ids that callers gave it. */
interface UnderWay {
  readonly exporting: Map<string, Paged<ExportPages>>
  readonly importing: Map<string, Paged<ImportPages>>
  readonly repairing: Map<string, Paged<RepairPages>>
}

const all = new WeakMap<Store, UnderWay>()

export function underWay(store: Store): UnderWay {
  const known = all.get(store) ?? { exporting: new Map(), importing: new Map(), repairing: new Map() }
  all.set(store, known)
  return known
}

/** Begins with page 0, and is over with its last page, or when a page fails. */
export async function nextPage<Run, Reply>(
  going: Map<string, Paged<Run>>,
  { id, page }: { readonly id: string; readonly page: number },
  start: () => Promise<Paged<Run>>,
  run: (page: Run) => Promise<Reply>,
  isLast: (reply: Reply) => boolean,
): Promise<Reply> {
  const known = going.get(id)
  // A worker that was lost and started again knows nothing of what the last one was doing.
  if (page !== (known?.page ?? 0))
    throw new CheckpointerError('FAILED', 'The export, import or repair was cut off. Start it again.', {
      outcome: 'none',
    })
  const paged = known ?? (await start())
  going.set(id, paged)
  paged.page++
  try {
    const reply = await run(paged.run)
    if (isLast(reply)) going.delete(id)
    return reply
  } catch (error) {
    going.delete(id)
    await paged.end()
    throw error
  }
}

/** Lets go of all: the store is about to close. */
export async function endPaged(store: Store): Promise<void> {
  const all: Map<string, Paged<unknown>>[] = Object.values(underWay(store))
  for (const going of all) {
    const paged = [...going.values()]
    going.clear()
    for (const each of paged) await each.end()
  }
}
