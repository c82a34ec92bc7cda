import { CheckpointerError, type LostHead } from '../errors.ts'
import type { Host, LossRecord, ReconcileReply } from '../operations/host.ts'
import type { SessionReport } from '../storage/storage.ts'
import { headsOf } from './heads.ts'
import { lossError, lossOf, type Missing } from './telling.ts'
import { NOTHING, type Entry, type Remembered, type WitnessStore } from './witness-store.ts'

export interface Comparing {
  /** Of the database, as its user knows it. */
  readonly name: string
  readonly host: Pick<Host, 'reconcile' | 'recordLoss' | 'settle' | 'threads'>
  /** Where heads are remembered; absent where there is no such place. */
  readonly store: WitnessStore | undefined
  readonly onWarning: (warning: CheckpointerError) => void
  /** How long another database of the site may take to note what the browser has told it, in milliseconds. */
  readonly wordOfOthers?: number
}

/** What is remembered of the database that is open, as it turned out to be true. */
export interface Compared {
  readonly database: string
  readonly threads: ReadonlyMap<string, Entry>
}

/** So many at a time, so that no save waits long. */
const HEADS_A_LOOK = 10
const MOST_COUNTED = 500
const WORD_OF_OTHERS = 300
/** A destruction may be under way for so long, in milliseconds. */
const MOST_DESTROYING = 60_000

/** Compares what is remembered with what is there, and tells what is missing: once, then it is remembered as it is. */
export async function compare(
  { name, host, store, onWarning, wordOfOthers = WORD_OF_OTHERS }: Comparing,
  { database, session }: Pick<ReconcileReply, 'database' | 'session'>,
  between: () => Promise<void>,
): Promise<Compared | undefined> {
  // The browser says it to one database of the site, and it concerns all.
  if (session?.dataLoss !== undefined) await store?.noteThrownAway({ at: Date.now(), said: session.dataLoss })
  // Its row is damaged, which was told.
  if (database === undefined) return undefined
  const remembered = (await store?.read()) ?? NOTHING
  const { threads, made, gone } = remembered
  // Whoever wanted to destroy it has not managed to.
  if ((gone.get(database) ?? Infinity) < Date.now() - MOST_DESTROYING) await store?.unmarkGone(database)

  const tell = async (missing: Missing): Promise<void> => {
    const record: LossRecord = lossOf(name, missing)
    onWarning(lossError(record))
    // What may have been lost, and cannot be named, is said and not held against the database.
    const isCertain = missing.heads.length > 0 || missing.expected.database !== database
    if (isCertain || session?.dataLoss !== undefined) await host.recordLoss(record)
    // Said once: those sessions are not held to it again.
    if (missing.said !== undefined && session) await host.settle({ sessions: session.owing, inOrder: false })
  }
  let said = session && saidOf(session, remembered)
  const known = byDatabase(threads)
  for (const id of new Set([...made.keys(), ...known.keys()])) {
    if (id === database) continue
    const entries = known.get(id) ?? new Map<string, Entry>()
    if (!gone.has(id)) {
      const there = await host.threads({ limit: MOST_COUNTED })
      said ??= await saidToOthers(store, latestOf(made.get(id), entries), wordOfOthers)
      // Where another tab has made this one anew, it is ours that is gone.
      refuseOther(database, await host.reconcile({ heads: [] }))
      await tell({
        expected: { database: id, threads: entries.size },
        found: { database, threads: there.items.length },
        heads: headsOf(entries).map(({ thread, namespace, seq }) => ({ thread, namespace, expected: seq })),
        said,
      })
      said = undefined
    }
    // Another tab may remember more of it when this is done.
    if (!gone.has(id) || made.has(id)) await store?.markGone([id])
    if (entries.size > 0) await store?.drop([...entries.keys()], id)
  }

  const here = known.get(database) ?? new Map<string, Entry>()
  const { actual, lost } = await compareHeads(host, database, here, between)
  if (lost.length > 0 || said !== undefined)
    await tell({
      expected: { database, threads: here.size },
      found: { database, threads: actual.size },
      heads: lost,
      said,
    })
  const changed = [...here].filter(([thread, entry]) => actual.get(thread) !== entry)
  if (changed.length > 0) {
    const dropped = changed.map(([thread]) => thread)
    await store?.drop(dropped, database)
    await store?.put(new Map(changed.flatMap(([thread]) => entryOf(actual, thread))))
  }
  return { database, threads: actual }
}

const entryOf = (entries: ReadonlyMap<string, Entry>, thread: string): [string, Entry][] => {
  const entry = entries.get(thread)
  return entry ? [[thread, entry]] : []
}

/** A thread that is all there keeps its entry, the same one. */
async function compareHeads(
  host: Pick<Host, 'reconcile'>,
  database: string,
  entries: ReadonlyMap<string, Entry>,
  between: () => Promise<void>,
): Promise<{ readonly actual: ReadonlyMap<string, Entry>; readonly lost: readonly LostHead[] }> {
  const actual = new Map(entries)
  const lost: LostHead[] = []
  const heads = headsOf(entries)
  for (let i = 0; i < heads.length; i += HEADS_A_LOOK) {
    const some = heads.slice(i, i + HEADS_A_LOOK)
    const reply = await host.reconcile({ heads: some })
    refuseOther(database, reply)
    for (const [j, { thread, namespace, seq: expected }] of some.entries()) {
      const { seq, isLost = false } = reply.found[j] ?? {}
      if (seq !== undefined && seq >= expected) continue
      if (isLost) lost.push({ thread, namespace, expected, ...(seq === undefined ? {} : { found: seq }) })
      const entry = actual.get(thread)
      const others = entry?.seqs.filter(([each]) => each !== namespace) ?? []
      const seqs = seq === undefined ? others : [...others, [namespace, seq] as const]
      if (entry && seqs.length > 0) actual.set(thread, { ...entry, seqs })
      else actual.delete(thread)
    }
    await between()
  }
  return { actual, lost }
}

function byDatabase(threads: ReadonlyMap<string, Entry>): Map<string, Map<string, Entry>> {
  const databases = new Map<string, Map<string, Entry>>()
  for (const [thread, entry] of threads) {
    const same = databases.get(entry.database) ?? new Map<string, Entry>()
    databases.set(entry.database, same.set(thread, entry))
  }
  return databases
}

function refuseOther(expected: string, { database }: ReconcileReply): void {
  if (database !== expected) throw new CheckpointerError('CLOSED', 'The database was taken away meanwhile.')
}

/** When anything of it was heard of last. */
const latestOf = (made = 0, entries: ReadonlyMap<string, Entry>): number =>
  Math.max(made, ...[...entries.values()].map(({ at }) => at))

/** What the engine knows of it, in words. Of a name that was never saved to nothing can be lost. */
function saidOf(
  { dataLoss, owing }: SessionReport,
  { isSure, made, threads }: Remembered,
): string | undefined {
  const isNew = isSure && made.size + threads.size === 0
  if (dataLoss !== undefined && !isNew) return thrownAway(dataLoss)
  if (owing.length > 0)
    return 'A session before this one ended before all that it had acknowledged was durable; its latest saves may be gone.'
  return undefined
}

/** Why a database is gone that was there at this time, if the browser has told another one of the site since. */
async function saidToOthers(
  store: WitnessStore | undefined,
  since: number,
  wordOfOthers: number,
): Promise<string | undefined> {
  const note = async (): Promise<string | undefined> => {
    const { thrownAway: last } = (await store?.read()) ?? NOTHING
    return last && last.at >= since ? thrownAway(last.said) : undefined
  }
  const heard = await note()
  if (heard !== undefined) return heard
  await new Promise((resolve) => setTimeout(resolve, wordOfOthers))
  return note()
}

const thrownAway = (said: string): string =>
  `The browser has thrown away what it could not read of this site: ${said}.`
