import { CheckpointerError } from '../../errors.ts'
import type { Place, StoredInfo } from '../../operations/host.ts'

export const storeFailure = (cause: unknown): CheckpointerError =>
  CheckpointerError.is(cause)
    ? cause
    : new CheckpointerError('FAILED', `Saves could not be written: ${String(cause)}`, { cause })

export function notDurable(cause: unknown): CheckpointerError {
  const { code, message } = storeFailure(cause)
  const text = `What was saved lately could not be made durable, and may be gone: ${message}`
  return new CheckpointerError(code, text, { cause })
}

export const kept = (place: Place, count: number, cause: CheckpointerError): CheckpointerError =>
  new CheckpointerError(
    cause.code,
    `${count} saves could not be written yet. They are kept, and tried again: ${cause.message}`,
    { ...place, cause },
  )

/** For the next call: what it was about to save was not taken. */
export function refusal(place: Place, failure: CheckpointerError): CheckpointerError {
  const { code, message } = failure
  return new CheckpointerError(
    code,
    `An earlier save could not be written: ${message} The one of this call was not taken; call again.`,
    { ...place, outcome: 'none', cause: failure },
  )
}

export function dropped(place: Place, id: string, seq: number, cause: CheckpointerError): CheckpointerError {
  return new CheckpointerError(
    cause.code,
    `Checkpoint ${JSON.stringify(id)} could not be stored, and will not be: ${cause.message}`,
    { ...place, seq, outcome: 'none', cause },
  )
}

export function shifted(place: Place, told: number, now: StoredInfo, count: number): CheckpointerError {
  const others = count > 1 ? `, and so were ${count - 1} after it` : ''
  return new CheckpointerError(
    'CONFLICT',
    `${whyShifted(told, now)}: checkpoint ${JSON.stringify(now.id)} was saved as ${now.seq}, not ${told}${others}.`,
    { ...place, seq: now.seq },
  )
}

/** A seq never goes back while its thread lives. */
export const whyShifted = (told: number, now: StoredInfo): string =>
  now.seq < told
    ? 'The thread was deleted, or everything destroyed, elsewhere: what had been stored of it is gone, and it begins anew'
    : 'Another writer was first'
