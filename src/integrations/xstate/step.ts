import { fromPromise, type NonReducibleUnknown, type PromiseActorLogic } from 'xstate'
import type { Thread } from '../../checkpointer/thread.ts'
import type { StepContext, StepOptions } from '../../checkpointer/runs/types.ts'
import { randomId } from '../../ids.ts'

/** What is done once: `key` is the same on every attempt, for others to know it again. */
export type StepWork<Output, Input> = (
  given: Pick<StepContext, 'key' | 'attempt' | 'signal'> & { readonly input: Input },
) => Output | PromiseLike<Output>

/**
 * As `fromPromise`, for what is not to be done twice: an actor that is restored gets what it came to. What was cut off is
 * done again under the same key, unless the options of a step say otherwise. `places` gives the handles of the actor's
 * thread by namespace; each invocation has one of its own, of which only its snapshot knows the name.
 */
export function fromStep<Output, Input = NonReducibleUnknown>(
  places: (namespace: string) => Thread,
  work: StepWork<Output, Input>,
  options: StepOptions<Awaited<Output>> = {},
): PromiseActorLogic<Awaited<Output>, Input> {
  const logic = fromPromise<Awaited<Output>, Input>(
    async ({ input, self, signal }): Promise<Awaited<Output>> => {
      const runId = runIdOf(self.getSnapshot())
      const { result } = await places(runId).run({ runId, signal }, (loop) =>
        loop.step('work', ({ key, attempt, signal }) => work({ input, key, attempt, signal }), options),
      )
      return result
    },
  )
  return {
    ...logic,
    // Only a new invocation is asked for it: one that is restored has the name that it had.
    getInitialSnapshot: (scope, input) => named(logic.getInitialSnapshot(scope, input)),
  }
}

const named = <Initial extends object>(snapshot: Initial): Initial & { readonly runId: string } => ({
  ...snapshot,
  runId: `invoked:${randomId()}`,
})

/** One that was invoked before it was a step has none: then this attempt is one of its own. */
const runIdOf = (snapshot: object): string =>
  'runId' in snapshot && typeof snapshot.runId === 'string' ? snapshot.runId : named({}).runId
