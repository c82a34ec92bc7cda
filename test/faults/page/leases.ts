/** A runner that is replaced while its tab is frozen, and the one that takes its place. */
import { CheckpointerError, openCheckpointer, type Checkpointer, type LeaseOptions } from 'forkpoint'
import { tellSite } from './tell-site.ts'
import type { State } from './loads.ts'

export interface Mine {
  readonly seq: number
  readonly mark: string
}

export interface Run {
  readonly token: number
  /** What was acknowledged to it. */
  readonly saved: readonly Mine[]
  /** How all else was refused. */
  readonly refused: readonly string[]
  /** Why its signal was aborted, if it was. */
  readonly signal: string
}

const OPTIONS = { name: 'leased' }
/** So many saves are on their way at once, so that some are when the tab is frozen. */
const AHEAD = 3

let opened: Promise<Checkpointer> | undefined
let turns = 0

/** Kept open from round to round: who was frozen goes on with what it has. */
const checkpointer = (): Promise<Checkpointer> => (opened ??= openCheckpointer(OPTIONS))

const codeOf = (error: unknown): string => (CheckpointerError.is(error) ? error.code : String(error))

/**
 * Runs the thread until a save is refused, or so many are done; then tries what must not be written either. Gives
 * nothing when the lease is not to be had.
 */
export async function runThread({
  id,
  tab,
  most = Number.POSITIVE_INFINITY,
  lease: options = {},
}: {
  readonly id: string
  readonly tab: string
  readonly most?: number
  readonly lease?: LeaseOptions
}): Promise<Run | undefined> {
  const thread = (await checkpointer()).thread<State>(id)
  const lease = await thread.lease(options).catch((error: unknown) => {
    if (!CheckpointerError.is(error, 'BLOCKED')) throw error
  })
  if (!lease) return undefined
  const turn = ++turns
  const saved: Mine[] = []
  const refused: string[] = []
  for (let n = 0; n < most && refused.length === 0; n += AHEAD) {
    const marks = Array.from({ length: AHEAD }, (_, i) => `${tab} ${turn} ${n + i}`)
    const results = await Promise.allSettled(
      marks.map((mark) => thread.save({ mark, messages: ['word '.repeat(50)] })),
    )
    if (n === 0) void tellSite({ tab })
    results.forEach((result, i) => {
      if (result.status === 'fulfilled') saved.push({ seq: result.value.seq, mark: marks[i] ?? '' })
      else refused.push(codeOf(result.reason))
    })
  }
  if (refused.length > 0) {
    const tries = [
      thread.save({ mark: `${tab} late`, messages: [] }),
      thread.putWrites(1, `late ${tab}`, [{ channel: 'c', value: 1 }]),
      thread.prune({ keepLast: 1 }),
      thread.delete(),
    ]
    for (const result of await Promise.allSettled(tries))
      refused.push(result.status === 'fulfilled' ? 'was written' : codeOf(result.reason))
  }
  const signal = lease.signal.aborted ? codeOf(lease.signal.reason) : 'none'
  await lease.release()
  return { token: lease.token, saved, refused, signal }
}

/** What a call for the lease comes to when it does not wait. */
export async function askForLease(id: string): Promise<string> {
  const thread = (await checkpointer()).thread(id)
  return thread.lease({ wait: false }).then(
    async (lease) => {
      await lease.release()
      return 'free'
    },
    (error: unknown) => codeOf(error),
  )
}

/** The whole thread as somebody finds it who has just come. */
export async function readThread(id: string): Promise<{ marks: Mine[]; writes: number; problems: string[] }> {
  const looking = await openCheckpointer(OPTIONS)
  const thread = looking.thread<State>(id)
  const marks: Mine[] = []
  for await (const { seq, state } of thread.history({ states: true, order: 'oldest' }))
    marks.push({ seq, mark: state.mark })
  const writes = (await thread.load(1))?.pendingWrites.length ?? 0
  const { problems } = await looking.verify()
  await looking.close()
  return { marks, writes, problems: problems.map((each) => JSON.stringify(each)) }
}

export const hasLocks = (): boolean => 'locks' in navigator
