import {
  CheckpointerError,
  type Checkpointer,
  type OpenQuestion,
  type UnknownStep,
} from '../../../src/index.ts'
import { ANSWER } from './agent.ts'

/** A person at a checkpointer who answers what its runs ask, and of steps of which nobody knows decides. */
export function answering(
  checkpointer: Checkpointer,
  decide: (step: UnknownStep) => Promise<unknown>,
): () => void {
  const answer = async (id: string, { key, question }: OpenQuestion): Promise<void> => {
    const value = isAboutStep(question) ? await decide(question) : ANSWER
    await checkpointer.thread(id).answer(value, { key })
  }
  const look = async (id: string): Promise<void> => {
    for await (const { thread, questions = [] } of checkpointer.runs({ status: 'waiting' }))
      if (thread === id) for (const question of questions) await answer(id, question)
  }
  return checkpointer.subscribe((event) => {
    if (event.type !== 'run' || event.status !== 'waiting') return
    look(event.thread).catch((error: unknown) => {
      // It was answered before, or has gone on without; or all ends here.
      if (!CheckpointerError.is(error)) throw error
    })
  })
}

const isAboutStep = (question: unknown): question is UnknownStep & { readonly about: 'unknown-step' } =>
  typeof question === 'object' &&
  question !== null &&
  'about' in question &&
  question.about === 'unknown-step'
