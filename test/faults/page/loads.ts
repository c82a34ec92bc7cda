/** What the pages do while faults are caused, and how they look at what is left. */
import { openCheckpointer, type Checkpointer, type LostHead, type OpenOptions, type Thread } from 'forkpoint'
import { tellSite } from './tell-site.ts'

export interface State {
  readonly mark: string
  readonly messages: readonly string[]
}

/** What a page says of its work. Only what has arrived outside the browser counts as acknowledged. */
export type Ack = About & {
  /** Of several databases at work, which. */
  readonly name?: string
}

type About =
  | {
      readonly did: 'save'
      readonly thread: string
      readonly seq: number
      readonly id: string
      readonly mark: string
    }
  /** From here on, those of the thread below `keep` may be gone. */
  | { readonly did: 'prune'; readonly thread: string; readonly keep: number }

type SaveAck = Extract<Ack, { did: 'save' }>

export const ack = (about: Ack): Promise<void> => tellSite(about)

/** Saves, forks and prunes on and on, alone and beside other tabs, until something ends the page. */
export async function mixedLoad(
  options: OpenOptions & { readonly tab: string; readonly steps?: number },
): Promise<void> {
  const { tab, steps = 1_000_000, ...open } = options
  const { name } = open
  const checkpointer = await openCheckpointer(open)
  const own = checkpointer.thread<State>(`own ${tab}`)
  const shared = checkpointer.thread<State>('shared')
  let state: State = { mark: `${tab} 0`, messages: [] }
  for (let n = 1; n <= steps; n++) {
    state = { mark: `${tab} ${n}`, messages: [...state.messages, message(n)] }
    const { seq, id } = await own.save(state, { node: 'loop', step: n })
    void ack({ did: 'save', name, thread: own.id, seq, id, mark: state.mark })
    if (n % 7 === 0) {
      const mark = `${tab} shared ${n}`
      const beside = await shared.save({ mark, messages: [message(n)] })
      void ack({ did: 'save', name, thread: shared.id, seq: beside.seq, id: beside.id, mark })
    }
    if (n % 23 === 0) await forkAside(name, own, `fork ${tab} ${n}`)
    if (n % 61 === 0) {
      const keep = seq - 9
      // Said before it is done: the page may end in between.
      await ack({ did: 'prune', name, thread: own.id, keep })
      await own.prune({ keepLast: 10 })
      state = { ...state, messages: state.messages.slice(-40) }
    }
  }
  await checkpointer.close()
}

async function forkAside(name: string, origin: Thread<State>, as: string): Promise<void> {
  const fork = await origin.fork({ as })
  const mark = `${as} first`
  const { seq, id } = await fork.save({ mark, messages: ['aside'] })
  void ack({ did: 'save', name, thread: as, seq, id, mark })
}

/** Mostly small, at times large enough for parts of its own. */
const message = (n: number): string => `${n} `.repeat(n % 41 === 0 ? 30_000 : 20 + ((n * 37) % 400))

export interface Findings {
  readonly checked: number
  readonly missing: readonly string[]
  /** The ids of those. */
  readonly lost: readonly string[]
  /** Those missing while a later one of their thread is there. */
  readonly middle: readonly string[]
  readonly wrong: readonly string[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** What the warnings say is lost. */
  readonly told: readonly LostHead[]
}

/** Opens what is there and compares it with what was acknowledged. */
export async function look(options: OpenOptions, acks: readonly Ack[]): Promise<Findings> {
  const warnings: string[] = []
  const told: LostHead[] = []
  const checkpointer = await openCheckpointer({
    ...options,
    onWarning({ code, message, loss }) {
      warnings.push(`${code} ${message}`)
      told.push(...(loss?.heads ?? []))
    },
  })
  const found = await compare(checkpointer, acks)
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { ...found, problems: problems.map((each) => JSON.stringify(each)), warnings, told }
}

/** Which saves must be there, by thread and id: where saves are written behind, the seq is as it will be unless another tab is first. */
function wantedOf(acks: readonly Ack[]): Map<string, Map<string, SaveAck>> {
  const wanted = new Map<string, Map<string, SaveAck>>()
  for (const each of acks) {
    const saves = wanted.get(each.thread) ?? new Map<string, SaveAck>()
    wanted.set(each.thread, saves)
    if (each.did === 'save') saves.set(each.id, each)
  }
  // Afterwards, as what is said of a save may arrive later than what is said of a prune.
  for (const each of acks) {
    if (each.did !== 'prune') continue
    const saves = wanted.get(each.thread)
    for (const { id, seq } of saves?.values() ?? []) if (seq < each.keep) saves?.delete(id)
  }
  return wanted
}

/** Those of long ago that are not there any more; their states are read by `verify`. */
export async function missingOf(
  options: OpenOptions,
  acks: readonly Ack[],
): Promise<{ checked: number; missing: readonly string[] }> {
  const checkpointer = await openCheckpointer(options)
  const missing: string[] = []
  let checked = 0
  for (const [thread, saves] of wantedOf(acks)) {
    for await (const { id } of checkpointer.thread<State>(thread).history()) if (saves.delete(id)) checked++
    for (const { seq, mark } of saves.values()) missing.push(`${thread} ${seq}: ${mark}`)
  }
  await checkpointer.close()
  return { checked, missing }
}

async function compare(
  checkpointer: Checkpointer,
  acks: readonly Ack[],
): Promise<Omit<Findings, 'problems' | 'warnings' | 'told'>> {
  const wanted = wantedOf(acks)
  const missing: string[] = []
  const lost: string[] = []
  const middle: string[] = []
  const wrong: string[] = []
  let checked = 0
  for (const [thread, saves] of wanted) {
    const newest = new Map<string, number>()
    for await (const { seq, id, state } of checkpointer.thread<State>(thread).history({ states: true })) {
      newest.set(tabIn(state.mark), Math.max(newest.get(tabIn(state.mark)) ?? 0, countIn(state.mark)))
      const save = saves.get(id)
      if (!save) continue
      checked++
      saves.delete(id)
      if (state.mark !== save.mark || !state.messages.every((each) => typeof each === 'string'))
        wrong.push(`${thread} ${seq}: ${state.mark}, not ${save.mark}`)
    }
    for (const { seq, id, mark } of saves.values()) {
      const name = `${thread} ${seq}: ${mark}`
      missing.push(name)
      lost.push(id)
      // In the order of the tab that saved it: what others have saved meanwhile says nothing of it.
      if (countIn(mark) < (newest.get(tabIn(mark)) ?? 0)) middle.push(name)
    }
  }
  return { checked, missing, lost, middle, wrong: wrong.slice(0, 20) }
}

const tabIn = (mark: string): string => mark.split(' ')[0] ?? ''
const countIn = (mark: string): number => Number(mark.split(' ').at(-1)) || 0

/** Made, and destroyed again. */
/** Opens, and stays open, as a tab that nobody looks at. */
export async function stay(options: OpenOptions): Promise<void> {
  await (await openCheckpointer(options)).thread('stays').save({ mark: 'stays', messages: [] })
}

export async function saveAndDestroy(name: string): Promise<void> {
  const checkpointer = await openCheckpointer({ name })
  await checkpointer.thread('t').save({ mark: 'gone', messages: [] })
  await checkpointer.destroy()
}

/** Goes so many milliseconds after its first save was called, whatever has come of it by then. */
export async function saveAndLeaveWithin(
  options: OpenOptions & { readonly thread: string; readonly moments: number },
): Promise<void> {
  const { thread, moments, ...open } = options
  const checkpointer = await openCheckpointer(open)
  const saves: Ack[] = []
  const mark = `${thread} 1`
  void checkpointer
    .thread<State>(thread)
    .save({ mark, messages: [message(1)] })
    .then(({ seq, id }) => saves.push({ did: 'save', thread, seq, id, mark }))
  await new Promise((resolve) => setTimeout(resolve, moments))
  sessionStorage.setItem(thread, JSON.stringify(saves))
  location.reload()
}

/** Saves that follow a fault: what was reopened must take them, and keep them. */
export async function saveSome(options: OpenOptions, thread: string, count: number): Promise<Ack[]> {
  const checkpointer = await openCheckpointer(options)
  const handle = checkpointer.thread<State>(thread)
  const done: Ack[] = []
  for (let n = 0; n < count; n++) {
    const mark = `${thread} ${n}`
    const { seq, id } = await handle.save({ mark, messages: [message(n)] })
    done.push({ did: 'save', thread, seq, id, mark })
  }
  await checkpointer.close()
  return done
}

export { fillForDamage, lookClosely } from './damaged.ts'
export { flip } from './flipped.ts'
export { hasPrivateFile, openAfterEviction, putPrivateFile, saveUntilTold } from './evicted.ts'
export { goOn, goOnThere, haveRoomMade, saveUntilFull, workUntilFull } from './room.ts'
export { fillLog, saveAndStay, timeFirstSaves } from './torn.ts'
export { timeLists } from './listed.ts'
export { keepInServiceWorker, missingInServiceWorker, race, runInServiceWorker } from './in-service-worker.ts'
export { askToPersist, keep, missing, toldAtOpening } from './witness.ts'
export { writeTwoHalves } from './half-written.ts'
export { carryPage, fillPage } from './much.ts'
export { readEverything } from './races.ts'
export { killWorkers } from './killed-workers.ts'
export { soak, soaked, soakedWhole } from './soak.ts'

/** Saves as fast as can be, and leaves in the same task in which the last one is captured. */
export async function saveAndLeave(
  options: OpenOptions & {
    readonly thread: string
    readonly count: number
    readonly to: string
    readonly flush?: boolean
  },
): Promise<void> {
  const { thread, count, to, flush, ...open } = options
  const checkpointer = await openCheckpointer(open)
  const handle = checkpointer.thread<State>(thread)
  const saves: Ack[] = []
  let messages: readonly string[] = []
  for (let n = 1; n <= count; n++) {
    const mark = `${thread} ${n}`
    messages = [...messages, message(n)]
    const { seq, id } = await handle.save({ mark, messages })
    saves.push({ did: 'save', thread, seq, id, mark })
  }
  if (flush) await checkpointer.flush()
  // Kept where a page that goes can still put it.
  sessionStorage.setItem(thread, JSON.stringify(saves))
  if (to === 'reload') location.reload()
  else location.assign(to)
}
