import {
  Runner,
  RunState,
  type AgentInputItem,
  type RunResult,
  type RunStreamEvent,
  type StreamedRunResult,
} from '@openai/agents-core'
import type { Lease } from '../../checkpointer/leases/lease.ts'
import type { Loop, RunOptions } from '../../checkpointer/runs/types.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { checkFunction, checkOptions, type Names } from '../../checkpointer/options/options.ts'
import { CheckpointerError } from '../../errors.ts'
import { JournaledAgents, originOf, type AnyAgent } from './journaled-agents.ts'
import { JournaledModels } from './journaled-models.ts'
import { JournaledSession, type RunSession } from './journaled-session.ts'
import { fromStored } from './run.ts'

/** What is asked, as the SDK takes it. */
export type AgentInput = string | AgentInputItem[]

export interface JournaledRunOptions {
  /** Names of tools that change nothing: when nobody knows how one has ended, it is used again. */
  readonly repeatable?: readonly string[] | undefined
  /** What runs it, with its provider of models and its guardrails; a new one when absent. */
  readonly runner?: Runner | undefined
  /** Hears what the run streams; of one that is taken up all of it again. It is not streamed when absent. */
  readonly onEvent?: ((event: RunStreamEvent) => void) | undefined
  /** For tools, guardrails and hooks. Not stored. */
  readonly context?: unknown
  readonly maxTurns?: number | null | undefined
  /** Stops the run. */
  readonly signal?: AbortSignal | undefined
}

const OPTIONS: Names<JournaledRunOptions> = {
  repeatable: true,
  runner: true,
  onEvent: true,
  context: true,
  maxTurns: true,
  signal: true,
}

/** A `RunState` that has waited for approvals, which are in it. */
export interface WaitedRun {
  getInterruptions(): readonly unknown[]
  toString(): string
}

export type JournaledRunResult<TAgent extends AnyAgent> =
  | RunResult<unknown, TAgent>
  | StreamedRunResult<unknown, TAgent>

/** What a run began with: what was asked, or a run that had waited, as JSON. */
export type RunRecord = { readonly input: AgentInput } | { readonly waited: unknown }

/** A page that goes may still be on its way. */
const PATIENCE = 500

/** Where a run is, and what it changes. */
export interface RunPlace {
  readonly thread: Thread<RunRecord>
  /** The session for a run: it takes no change once another runner has the lease, or the signal says that the run is over. */
  under(lease: Lease, over: AbortSignal): RunSession
}

/** Runs an agent in a journal; gives nothing when there is nothing to do. */
export async function runInJournal<TAgent extends AnyAgent>(
  place: RunPlace,
  agent: TAgent,
  which: Pick<RunOptions<RunRecord>, 'runId' | 'initial' | 'edit' | 'retry'>,
  options: JournaledRunOptions,
): Promise<JournaledRunResult<TAgent> | undefined> {
  let result: JournaledRunResult<TAgent> | undefined
  const { signal, onEvent } = checkOptions('run', options, OPTIONS)
  checkFunction('onEvent', onEvent)
  const over = new AbortController()
  try {
    await place.thread.run({ ...which, signal, wait: PATIENCE }, async (loop) => {
      const kept = place.under(loop.lease, over.signal)
      result = await played(loop, kept, agent, options)
      // It waits for a person, or for nobody any more.
      if (result.interruptions.length > 0) await kept.session.saveRun(result.state)
      else await kept.session.dropRun()
    })
  } finally {
    // The SDK may not have heard of it yet.
    over.abort(new CheckpointerError('INVALID', 'The run has ended: it changes its session no more.'))
  }
  return result && withOrigin(result)
}

/** With the agent that was given as its last, for who goes on with that. */
function withOrigin<TAgent extends AnyAgent>(result: JournaledRunResult<TAgent>): JournaledRunResult<TAgent> {
  const { lastAgent } = result
  return lastAgent ? Object.defineProperty(result, 'lastAgent', { value: originOf(lastAgent) }) : result
}

/** From its beginning; what the journal knows is not done again. */
async function played<TAgent extends AnyAgent>(
  loop: Loop<RunRecord>,
  { session, addBehind }: RunSession,
  agent: TAgent,
  { runner = new Runner(), repeatable, onEvent, context, maxTurns }: JournaledRunOptions,
): Promise<JournaledRunResult<TAgent>> {
  const models = new JournaledModels(loop)
  const journaled = new JournaledAgents(loop, models, repeatable).of(agent)
  const own = runnerWith(models, runner)
  const { state } = loop
  const before = await loop.step('before', async () => (await session.getItems()).length)
  const isFresh = 'input' in state
  const input = isFresh
    ? state.input
    : await RunState.fromString<unknown, TAgent>(journaled, fromStored(state.waited) ?? '')
  const how = {
    session: new JournaledSession({ session, addBehind, before, isFresh }),
    signal: loop.signal,
    ...(context === undefined ? {} : { context }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  }
  if (!onEvent) return own.run(journaled, input, how)
  const streamed = await own.run(journaled, input, { ...how, stream: true })
  for await (const event of streamed) onEvent(event)
  await streamed.completed
  // The SDK takes a stream that was stopped for one that has ended.
  loop.signal.throwIfAborted()
  return streamed
}

/** The same runner, with models that say again what they have said. */
function runnerWith(models: JournaledModels, runner: Runner): Runner {
  const { model, modelProvider, ...rest } = runner.config
  const own = new Runner({
    ...rest,
    modelProvider: models.provider(modelProvider),
    ...(model === undefined ? {} : { model: typeof model === 'string' ? model : models.of(model) }),
  })
  // Who listens to the runner hears of this one.
  own.emit = runner.emit.bind(runner)
  return own
}
