import { CheckpointerError } from '../../../errors.ts'
import { invalid } from '../../options/options.ts'
import type { UnknownDecision, UnknownStep, WhenUnknown } from '../types.ts'

export function checkPolicy(policy: unknown): void {
  if (policy === undefined || typeof policy === 'function') return
  if (policy !== 'retry' && policy !== 'ask' && policy !== 'skip')
    throw invalid('whenUnknown', "'retry', 'ask', 'skip' or a function")
}

/** The question that is asked about a step of which nobody knows whether it was done; to be answered with an `UnknownDecision`. */
export interface AboutStep extends UnknownStep {
  /** Tells it from a question of the loop's own. */
  readonly about: 'unknown-step'
}

export const isAboutStep = (question: unknown): question is AboutStep =>
  typeof question === 'object' &&
  question !== null &&
  'about' in question &&
  question.about === 'unknown-step'

/** What is to be done about a step that was begun, and has no outcome. `ask` asks a person. */
export async function decide<T>(
  policy: WhenUnknown<T>,
  step: UnknownStep,
  ask: (question: AboutStep) => Promise<unknown>,
): Promise<UnknownDecision<T>> {
  const said: unknown = typeof policy === 'function' ? await policy(step) : policy
  const decision = said === 'ask' ? await ask({ about: 'unknown-step', ...step }) : said
  if (isDecision<T>(decision)) return decision
  throw new CheckpointerError(
    'INVALID',
    `Nobody knows whether step '${step.name}' was done, and this is no answer to it. Answer 'retry', 'skip', { value } or { error }.`,
  )
}

export const isDecision = <T>(value: unknown): value is UnknownDecision<T> =>
  value === 'retry' ||
  value === 'skip' ||
  (typeof value === 'object' && value !== null && ('value' in value || 'error' in value))
