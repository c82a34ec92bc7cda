import type {
  AgentInputItem,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core'
import type { CheckpointInfo } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Lease } from '../../checkpointer/leases/lease.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import type { HistoryOptions } from '../../checkpointer/threads/history.ts'
import type { ForkOptions } from '../../checkpointer/threads/types.ts'
import { randomId } from '../../ids.ts'
import { CheckpointerError } from '../../errors.ts'
import { changeHead } from '../shared/change-head.ts'
import { needCheckpointer } from '../shared/needed.ts'
import { taken } from '../shared/taken.ts'
import { oneByOne } from '../shared/turns.ts'
import { takenItems, takenTransaction } from './given.ts'
import {
  runInJournal,
  type AgentInput,
  type JournaledRunOptions,
  type JournaledRunResult,
  type RunPlace,
  type RunRecord,
  type WaitedRun,
} from './journaled-run.ts'
import type { AnyAgent } from './journaled-agents.ts'
import type { RunSession } from './journaled-session.ts'
import { fromStored, toStored, type RunText } from './run.ts'
import {
  afterMutations,
  afterTransaction,
  EMPTY,
  stateOf,
  withItems,
  withItemsBehind,
  withoutRun,
  type SessionState,
} from './state.ts'

/** The namespace of a session's thread in which its runs are journaled. */
const RUNS = 'run'

/** As for `run`; `retry`: also one that has failed, or was stopped. */
export interface ResumeOptions extends JournaledRunOptions {
  readonly retry?: boolean | undefined
}

/** Where a fork starts, and its name. */
export type ForkSessionOptions = Pick<ForkOptions<SessionState>, 'at' | 'as'>

/**
 * A session of the OpenAI Agents SDK: `run(agent, input, { session: new ForkpointSession(checkpointer, 'trip') })`. It is
 * a thread of the checkpointer, and each change of it a checkpoint; so nothing that it held is ever lost, and any number
 * of tabs may have it. Without an id it is a new one.
 */
export class ForkpointSession
  implements SessionHistoryTransactionAwareSession, SessionHistoryRewriteAwareSession
{
  readonly #checkpointer: Checkpointer
  readonly #runs: RunPlace
  #thread: Thread<SessionState>
  #inTurn = oneByOne()
  /** For a run: aborted when it is over. */
  #over: AbortSignal | undefined

  constructor(checkpointer: Checkpointer, sessionId: string = randomId()) {
    this.#checkpointer = needCheckpointer(checkpointer)
    this.#thread = checkpointer.thread(sessionId)
    this.#runs = {
      thread: checkpointer.thread(sessionId, { namespace: RUNS }),
      under: (lease, over) => this.#under(lease, over),
    }
  }

  get sessionId(): string {
    return this.#thread.id
  }

  async getSessionId(): Promise<string> {
    return this.sessionId
  }

  /** All items, or the latest of them, the oldest first. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const { items } = await this.#state()
    if (limit === undefined) return [...items]
    return limit > 0 ? items.slice(-limit) : []
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const added = takenItems(items)
    if (added.length > 0) await this.#change('add', (state) => withItems(state, added))
  }

  /** Takes the latest item away, and gives it. The checkpoints before have it still. */
  async popItem(): Promise<AgentInputItem | undefined> {
    let popped: AgentInputItem | undefined
    await this.#change('pop', (state) => {
      popped = state.items.at(-1)
      return popped && { ...state, items: state.items.slice(0, -1) }
    })
    return popped
  }

  /**
   * Begins anew, without items and without a run that waits or was cut off. The items that were there stay in the history,
   * and can be forked; `delete` removes them.
   */
  async clearSession(): Promise<void> {
    const { thread } = this.#runs
    const run = await thread.latestRun()
    // One that is under way may be who calls this.
    if (run && run.status !== 'running') await thread.deleteRun(run.runId)
    await this.#change('clear', (state) => (isEmpty(state) ? undefined : EMPTY))
  }

  /** Changes the items once for each operation, in one commit with its id. */
  async applyHistoryTransaction(args: SessionHistoryTransactionArgs): Promise<void> {
    const given = takenTransaction(args)
    await this.#change('transaction', (state) => afterTransaction(state, given))
  }

  async applyHistoryMutations(args: SessionHistoryRewriteArgs): Promise<void> {
    const mutations = taken('A mutation', args.mutations)
    if (mutations.length > 0) await this.#change('rewrite', (state) => afterMutations(state, mutations))
  }

  /** In one commit, so that a reload in between finds the one or the other. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    const replaced = takenItems(items)
    await this.#change('compact', (state) => ({ ...state, items: replaced }))
  }

  /** Keeps a run beside its session: one that waits for approvals, with those that were given already. */
  async saveRun(run: RunText): Promise<void> {
    const stored = toStored(run)
    await this.#change('run', (state) => ({ ...state, run: stored }))
  }

  /** What the last `saveRun` has kept, for `RunState.fromString(agent, …)`. */
  async loadRun(): Promise<string | undefined> {
    return fromStored((await this.#state()).run)
  }

  /**
   * Runs an agent on this session so that the run outlives its page: `resume` goes on with it, and does nothing again that
   * its models and its tools have done. `CONFLICT` while there is one that was cut off.
   */
  async run<TAgent extends AnyAgent>(
    agent: TAgent,
    input: AgentInput | WaitedRun,
    options: JournaledRunOptions = {},
  ): Promise<JournaledRunResult<TAgent>> {
    const record = recordOf(input)
    // What the runs before have done is in the items.
    const { thread } = this.#runs
    if (await thread.latestRun()) await thread.prune({ keepLast: 1 })
    const result = await runInJournal(this.#runs, agent, { initial: record, edit: () => record }, options)
    if (result) return result
    throw new CheckpointerError('FAILED', 'The run has given nothing.', { thread: this.sessionId })
  }

  /**
   * Goes on with the run that was cut off; `undefined` when there is none. One that has failed, or was stopped, is taken up
   * again with `retry`.
   */
  async resume<TAgent extends AnyAgent>(
    agent: TAgent,
    { retry = false, ...options }: ResumeOptions = {},
  ): Promise<JournaledRunResult<TAgent> | undefined> {
    const run = await this.#runs.thread.latestRun()
    const isOver = run?.status === 'failed' || run?.status === 'stopped'
    if (!run || run.status === 'finished' || (isOver && !retry)) return undefined
    return runInJournal(this.#runs, agent, { runId: run.runId, retry }, options)
  }

  /** Forgets the run: it has ended. */
  async dropRun(): Promise<void> {
    await this.#change('run', withoutRun)
  }

  /** Another session, with all that this one held at a checkpoint, which goes on by itself. It waits for nothing. */
  async fork(options: ForkSessionOptions = {}): Promise<ForkpointSession> {
    const twin = await this.#thread.fork({ ...options, edit: withoutRun })
    return new ForkpointSession(this.#checkpointer, twin.id)
  }

  /** The checkpoints, newest first; `node` says what was done: add, pop, clear, transaction, rewrite, compact, run. */
  history(options?: HistoryOptions): AsyncIterable<CheckpointInfo> {
    return this.#thread.history(options)
  }

  /** Removes the session with its history. Forks of it stay. */
  async delete(): Promise<boolean> {
    return this.#inTurn(() => this.#thread.delete())
  }

  async #state(): Promise<SessionState> {
    return this.#inTurn(async () => stateOf(this.sessionId, (await this.#thread.load())?.state))
  }

  /** What was asked of the one before is done before what is asked of the other. */
  #under(lease: Lease, over: AbortSignal): RunSession {
    const session = new ForkpointSession(this.#checkpointer, this.sessionId)
    session.#thread = this.#checkpointer.thread(this.sessionId, { lease })
    session.#inTurn = this.#inTurn
    session.#over = over
    return {
      session,
      addBehind: (length, items) => session.#change('add', (state) => withItemsBehind(state, length, items)),
    }
  }

  #change(node: string, change: (state: SessionState) => SessionState | undefined): Promise<void> {
    return this.#inTurn(() =>
      changeHead(this.#thread, { node }, (state) => {
        this.#over?.throwIfAborted()
        return change(stateOf(this.sessionId, state))
      }),
    )
  }
}

const isEmpty = ({ items, ...rest }: SessionState): boolean =>
  items.length === 0 && Object.keys(rest).length === 0

function recordOf(input: AgentInput | WaitedRun): RunRecord {
  if (typeof input === 'string') return { input }
  return Array.isArray(input) ? { input: takenItems(input, 'input') } : { waited: toStored(input) }
}
