/** What tabs do at once on the same threads. */
import { CheckpointerError, openCheckpointer, type OpenOptions } from 'forkpoint'
import type { Ack, State } from './loads.ts'

type Saved = Extract<Ack, { did: 'save' }>

export async function raceToSave(load: {
  readonly name: string
  readonly tab: number
  readonly saves: number
  readonly expecting: boolean
}): Promise<{ saved: Saved[]; conflicts: number }> {
  const { name, tab, saves, expecting } = load
  const checkpointer = await openCheckpointer({ name })
  const thread = checkpointer.thread<State>('raced')
  const saved: Saved[] = []
  let conflicts = 0
  while (saved.length < saves) {
    const mark = `${tab} ${saved.length}`
    const state = { mark, messages: [`tab ${tab}`, 'word '.repeat((saved.length * 13) % 90)] }
    try {
      const head = expecting ? ((await thread.load())?.seq ?? null) : undefined
      const { seq, id } = await thread.save(state, head === undefined ? {} : { expect: head })
      saved.push({ did: 'save', thread: 'raced', seq, id, mark })
    } catch (error) {
      if (!CheckpointerError.is(error, 'CONFLICT') || !expecting) throw error
      conflicts++
    }
  }
  await checkpointer.close()
  return { saved, conflicts }
}

interface Raced {
  readonly done: number
  readonly surprises: string[]
}

const REMOVED = 'removed'
/** Few threads, so that all meet on them. */
const threadOf = (n: number): string => `thread ${n % 3}`

export async function raceToFork({
  tab,
  saves,
}: {
  readonly tab: number
  readonly saves: number
}): Promise<Raced> {
  return racing(saves, async (checkpointer, n) => {
    const thread = checkpointer.thread<State>(threadOf(n))
    await thread.save(stateOf(tab, n))
    if (n % 5 === 0) {
      const fork = await thread.fork({ as: `fork ${tab} ${n}` })
      await fork.save(stateOf(tab, n))
    }
  })
}

export async function raceToRemove({
  tab,
  saves,
}: {
  readonly tab: number
  readonly saves: number
}): Promise<Raced> {
  return racing(saves, async (checkpointer, n) => {
    const thread = checkpointer.thread<State>(threadOf(n + tab))
    if (n % 29 === 0) await thread.delete()
    else if (n % 3 === 0) await thread.prune({ keepLast: 3 })
    else if (n % 7 === 0) await checkpointer.thread<State>(`fork ${tab - 1} ${n}`).delete()
    else await thread.load()
  })
}

const stateOf = (tab: number, n: number): State => ({
  mark: `${tab} ${n}`,
  messages: Array.from({ length: n % 40 }, (_, i) => `${tab} ${i} ${'word '.repeat((i * 7) % 30)}`),
})

async function racing(
  times: number,
  step: (checkpointer: Awaited<ReturnType<typeof openCheckpointer>>, n: number) => Promise<unknown>,
): Promise<Raced> {
  const checkpointer = await openCheckpointer({ name: REMOVED })
  const surprises: string[] = []
  let done = 0
  for (let n = 0; n < times; n++) {
    try {
      await step(checkpointer, n)
      done++
    } catch (error) {
      // The thread was deleted a moment ago.
      if (!CheckpointerError.is(error, 'NOT_FOUND')) surprises.push(String(error))
    }
  }
  await checkpointer.close()
  return { done, surprises }
}

/** Every state of every thread is read, and must be one that somebody saved. */
export async function readEverything(
  options: OpenOptions,
): Promise<{ checked: number; wrong: string[]; problems: string[] }> {
  const checkpointer = await openCheckpointer(options)
  const wrong: string[] = []
  let checked = 0
  for await (const { id } of checkpointer.threads()) {
    for await (const { seq, state } of checkpointer.thread<State>(id).history({ states: true })) {
      const [tab = -1, n = -1] = state.mark.split(' ').map(Number)
      if (JSON.stringify(state) !== JSON.stringify(stateOf(tab, n))) wrong.push(`${id} ${seq} ${state.mark}`)
      checked++
    }
  }
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { checked, wrong, problems: problems.map((each) => JSON.stringify(each)) }
}
