import { CheckpointerError } from '../../errors.ts'

/** Refuses at once what is not what an adapter is to be handed: later it would look like a failure of the engine. */
export function checkGiven(what: string, given: unknown, methods: readonly string[], wanted: string): void {
  const isOne = (typeof given === 'object' && given !== null) || typeof given === 'function'
  const has = (method: string): boolean => typeof (given as Record<string, unknown>)[method] === 'function'
  if (isOne && methods.every(has)) return
  throw new CheckpointerError('INVALID', `What ${what} is given must be ${wanted}.`, { path: what })
}
