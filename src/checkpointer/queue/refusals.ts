import type { CheckpointerError } from '../../errors.ts'

/** What a save is refused with for its own sake; all else is a failure of the store. */
const REFUSALS = ['CONFLICT', 'NOT_FOUND', 'TOO_LARGE', 'INVALID', 'LEASE_LOST']
/** Of these, what no later try can help. */
const HOPELESS = ['TOO_LARGE', 'INVALID', 'LEASE_LOST']

export const isAboutTheSave = ({ code }: CheckpointerError): boolean => REFUSALS.includes(code)
export const isHopeless = ({ code }: CheckpointerError): boolean => HOPELESS.includes(code)
