import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import type { Checkpointer } from './checkpointer.ts'

/** Tells that something may not have been heard; gives what stops it. */
type OnGap = (listener: () => void) => () => void

/** For those who serve a checkpointer to others: what it stands on is nobody else's business. */
const grounds = new WeakMap<Checkpointer, { readonly host: Host; readonly onGap: OnGap }>()

export const isOn = (checkpointer: Checkpointer, host: Host, onGap: OnGap): void =>
  void grounds.set(checkpointer, { host, onGap })

export const onGapOf = (checkpointer: Checkpointer): OnGap | undefined => grounds.get(checkpointer)?.onGap

export function hostOf(checkpointer: Checkpointer, subject = 'What is served', path = 'checkpointer'): Host {
  const known = typeof checkpointer === 'object' && checkpointer !== null && grounds.get(checkpointer)
  if (known) return known.host
  throw new CheckpointerError(
    'INVALID',
    `${subject} must be a Checkpointer, from openCheckpointer of this very copy of the package.`,
    { path },
  )
}
