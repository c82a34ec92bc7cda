/** What tabs, and a service worker, do at once on the same threads. */
import { CheckpointerError, openCheckpointer, type Checkpointer } from 'forkpoint'
import type { Ack, State } from './loads.ts'

type Saved = Extract<Ack, { did: 'save' }>

/** One of those who do it: in a tab with its worker, in a tab without one, or in the service worker of a tab. */
export interface Racer {
  readonly tab: number
  readonly where: 'worker' | 'page' | 'service worker'
  readonly name: string
  readonly expecting?: boolean
  /** What each of them does, this many times; */
  readonly times: number
  /** of that, here the part from this on, and below that. */
  readonly from: number
  readonly to: number
}

const open = ({ name, where }: Racer): Promise<Checkpointer> =>
  openCheckpointer({ name, worker: where === 'worker' ? 'auto' : false })

/** What is kept of saves of one thread. */
interface SavesOfOne {
  readonly saved: Saved[]
  readonly conflicts: number
  /** Saves that were not made where `expect` said. */
  readonly elsewhere: string[]
}

async function raceToSave(racer: Racer): Promise<SavesOfOne> {
  const { tab, from, to, expecting } = racer
  const checkpointer = await open(racer)
  const thread = checkpointer.thread<State>('raced')
  const saved: Saved[] = []
  const elsewhere: string[] = []
  let conflicts = 0
  // All begin with an empty thread, which only one of them can be right about.
  let head = from === 0 ? 0 : undefined
  for (let n = from; n < to;) {
    const mark = `${tab} ${n}`
    const state = { mark, messages: [`tab ${tab}`, 'word '.repeat((n * 13) % 90)] }
    try {
      head ??= expecting ? ((await thread.load())?.seq ?? 0) : 0
      const { seq, id } = await thread.save(state, expecting ? { expect: head === 0 ? null : head } : {})
      saved.push({ did: 'save', thread: 'raced', seq, id, mark })
      if (expecting && seq !== head + 1) elsewhere.push(`${mark} is ${seq}, and not behind ${head}`)
      n++
    } catch (error) {
      if (!CheckpointerError.is(error, 'CONFLICT') || !expecting) throw error
      conflicts++
    }
    head = undefined
  }
  await checkpointer.close()
  return { saved, conflicts, elsewhere }
}

/** What is kept of saves, forks and removals of several threads. Times are of the clock that all share. */
interface Removals {
  readonly done: number
  readonly surprises: string[]
  readonly saves: {
    readonly thread: string
    readonly seq: number
    readonly mark: string
    readonly began: number
    readonly ended: number
  }[]
  readonly forks: { readonly as: string; readonly from: number; readonly mark: string }[]
  readonly deleted: {
    readonly thread: string
    readonly wasThere: boolean
    readonly began: number
    readonly ended: number
  }[]
}

/** As many of a thread as every prune keeps. */
const KEPT = 3
/** Few threads, so that all meet on them. */
const threadOf = (n: number): string => `thread ${n % 3}`
const now = (): number => performance.timeOrigin + performance.now()

async function raceToFork(racer: Racer): Promise<Removals> {
  const { tab } = racer
  return racing(racer, async (checkpointer, n, { saves, forks }) => {
    const thread = checkpointer.thread<State>(threadOf(n))
    const state = stateOf(tab, n)
    const began = now()
    const { seq } = await thread.save(state)
    saves.push({ thread: thread.id, seq, mark: state.mark, began, ended: now() })
    if (n % 5 === 0) {
      const as = `fork ${tab} ${n}`
      const fork = await thread.fork({ as })
      const { seq: own } = await fork.save(state)
      forks.push({ as, from: own - 1, mark: state.mark })
    }
  })
}

/** Prunes all the time, and deletes in the first half of it: what is saved after that must be there. */
async function raceToRemove(racer: Racer): Promise<Removals> {
  const { tab, times } = racer
  return racing(racer, async (checkpointer, n, { deleted }) => {
    const remove = async (id: string): Promise<void> => {
      const began = now()
      const wasThere = await checkpointer.thread(id).delete()
      deleted.push({ thread: id, wasThere, began, ended: now() })
    }
    const thread = checkpointer.thread<State>(threadOf(n + tab))
    if (n % 29 === 0 && n < times / 2) await remove(thread.id)
    else if (n % 3 === 0) await thread.prune({ keepLast: KEPT })
    else if (n % 5 === 0) await remove(`fork ${tab - 1} ${n}`)
    else await thread.load()
  })
}

const stateOf = (tab: number, n: number): State => ({
  mark: `${tab} ${n}`,
  messages: Array.from({ length: n % 40 }, (_, i) => `${tab} ${i} ${'word '.repeat((i * 7) % 30)}`),
})

async function racing(
  racer: Racer,
  step: (checkpointer: Checkpointer, n: number, to: Removals) => Promise<unknown>,
): Promise<Removals> {
  const checkpointer = await open(racer)
  const kept: Removals = { done: 0, surprises: [], saves: [], forks: [], deleted: [] }
  let done = 0
  for (let n = racer.from; n < racer.to; n++) {
    try {
      await step(checkpointer, n, kept)
      done++
    } catch (error) {
      // The thread was deleted a moment ago.
      if (!CheckpointerError.is(error, 'NOT_FOUND')) kept.surprises.push(String(error))
    }
  }
  await checkpointer.close()
  return { ...kept, done }
}

export const RACES = { save: raceToSave, fork: raceToFork, remove: raceToRemove }
export type Kind = keyof typeof RACES
export type Kept<K extends Kind> = Awaited<ReturnType<(typeof RACES)[K]>>

/** Every state of every thread is read, and must be one that somebody saved; and what nobody has removed must be there. */
export async function readEverything(
  name: string,
  all: Pick<Removals, 'saves' | 'forks' | 'deleted'>,
): Promise<{ checked: number; looked: number; wrong: string[]; problems: string[] }> {
  const checkpointer = await openCheckpointer({ name })
  const found = new Map<string, Map<number, string>>()
  const wrong: string[] = []
  let checked = 0
  for await (const { id } of checkpointer.threads()) {
    const seqs = new Map<number, string>()
    found.set(id, seqs)
    for await (const { seq, state } of checkpointer.thread<State>(id).history({ states: true })) {
      const [tab = -1, n = -1] = state.mark.split(' ').map(Number)
      if (JSON.stringify(state) !== JSON.stringify(stateOf(tab, n))) wrong.push(`${id} ${seq} ${state.mark}`)
      seqs.set(seq, state.mark)
      checked++
    }
  }
  const wanted = [...lastSaves(all), ...forksLeft(all)]
  for (const { thread, seq, mark } of wanted)
    if (found.get(thread)?.get(seq) !== mark)
      wrong.push(`${thread} ${seq} should be ${mark}, and is ${found.get(thread)?.get(seq)}`)
  // What a fork stands on was shown to it when it was made; a prune of its origin does not take it.
  for (const { as, from } of all.forks)
    if (wanted.some(({ thread }) => thread === as) && !found.get(as)?.has(from))
      wrong.push(`${as} has lost ${from}, where it was made`)
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  const short = problems.slice(0, 20).map((each) => JSON.stringify(each))
  return { checked, looked: wanted.length, wrong: wrong.slice(0, 20), problems: short }
}

interface Wanted {
  readonly thread: string
  readonly seq: number
  readonly mark: string
}

/** Of the saves that began after the last deletion of their thread had ended: those that every prune keeps. */
function lastSaves({ saves, deleted }: Pick<Removals, 'saves' | 'deleted'>): Wanted[] {
  return saves.filter(({ thread, seq, began }) => {
    const last = deleted
      .filter((each) => each.thread === thread)
      .toSorted((a, b) => a.ended - b.ended)
      .at(-1)
    if (last && began <= last.ended) return false
    const isBehind = (other: Removals['saves'][number]): boolean =>
      other.thread === thread && other.seq > seq && (!last || other.ended > last.began)
    return saves.filter(isBehind).length < KEPT
  })
}

/** The forks that nobody has deleted, with what was saved to each. */
function forksLeft({ forks, deleted }: Pick<Removals, 'forks' | 'deleted'>): Wanted[] {
  const gone = new Set(deleted.filter(({ wasThere }) => wasThere).map(({ thread }) => thread))
  return forks
    .filter(({ as }) => !gone.has(as))
    .map(({ as, from, mark }) => ({ thread: as, seq: from + 1, mark }))
}
