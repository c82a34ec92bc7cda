import { CheckpointerError } from '../../errors.ts'
import type { ExportPageReply, ImportPageReply, RepairReply } from '../host.ts'
import type { Store } from './store.ts'

/** Long work that is done a page at a time, as its caller asks for more. */
export interface Paged<Run> {
  readonly run: Run
  end(): Promise<void>
}

/** Known before it has begun: who asks for its end meanwhile means it. */
interface Going<Run> {
  /** The page that comes next. */
  page: number
  /** Pages that are being made in this moment. */
  asked: number
  /** When the last was made. */
  at: number
  readonly paged: Promise<Paged<Run>>
}

export type ExportPages = () => Promise<ExportPageReply>
export type ImportPages = (bytes: Uint8Array, isLast: boolean) => Promise<ImportPageReply>
export type RepairPages = () => Promise<RepairReply>

interface Kinds {
  readonly exporting: ExportPages
  readonly importing: ImportPages
  readonly repairing: RepairPages
}

/** What is under way here, by the ids that callers gave it. */
type UnderWay = { readonly [Kind in keyof Kinds]: Map<string, Going<Kinds[Kind]>> }

/** Whoever has asked for no page for so many milliseconds has left: an import without a sign of life is dead by then too. */
const LEFT_AFTER = 10 * 60_000

const stores = new WeakMap<Store, UnderWay>()

function underWay(store: Store): UnderWay {
  const known = stores.get(store)
  if (known) return known
  const made = { exporting: new Map(), importing: new Map(), repairing: new Map() }
  stores.set(store, made)
  store.endings.add(() => endPaged(store))
  return made
}

/** Begins with page 0, and is over with its last page, or when a page fails. */
export async function nextPage<Kind extends keyof Kinds, Reply>(
  store: Store,
  kind: Kind,
  { id, page }: { readonly id: string; readonly page: number },
  start: () => Promise<Paged<Kinds[Kind]>>,
  run: (page: Kinds[Kind]) => Promise<Reply>,
  isLast: (reply: Reply) => boolean,
): Promise<Reply> {
  const all = underWay(store)[kind]
  const known = all.get(id)
  // A worker that was lost and started again knows nothing of what the last one was doing.
  if (page !== (known?.page ?? 0))
    throw new CheckpointerError('FAILED', 'The export, import or repair was cut off. Start it again.', {
      outcome: 'none',
    })
  const going = known ?? { page: 0, asked: 0, at: 0, paged: endLeft(store).then(start) }
  all.set(id, going)
  going.page++
  going.asked++
  try {
    const reply = await run((await going.paged).run)
    if (isLast(reply)) all.delete(id)
    return reply
  } catch (error) {
    all.delete(id)
    await ended(going).catch(() => {})
    throw error
  } finally {
    going.asked--
    going.at = performance.now()
  }
}

/** Looked for when something begins: so what is left can be no more than what was begun in such a while. */
async function endLeft(store: Store): Promise<void> {
  const now = performance.now()
  for (const all of allOf(store))
    for (const [id, going] of all) {
      if (going.asked > 0 || now - going.at < LEFT_AFTER) continue
      all.delete(id)
      await ended(going).catch(() => {})
    }
}

/** Nothing is to be ended of what has not even begun. */
async function ended({ paged }: Going<unknown>): Promise<void> {
  const begun = await paged.catch(() => undefined)
  await begun?.end()
}

/** Lets go of an export, an import or a repair; whether there was one. */
export async function endOne(store: Store, id: string): Promise<boolean> {
  for (const all of allOf(store)) {
    const going = all.get(id)
    if (!going) continue
    all.delete(id)
    await ended(going)
    return true
  }
  return false
}

/** Lets go of all. What cannot be let go is cleared by a later opening. */
async function endPaged(store: Store): Promise<void> {
  for (const all of allOf(store)) {
    const some = [...all.values()]
    all.clear()
    for (const going of some) await ended(going).catch(() => {})
  }
}

const allOf = (store: Store): Map<string, Going<unknown>>[] => Object.values(underWay(store))
