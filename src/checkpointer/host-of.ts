import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import type { Checkpointer } from './checkpointer.ts'

/** How much of what others do is heard of. */
interface Hearing {
  /** All of it, but see `onGap`. */
  readonly hearsAll: boolean
  /** Tells that something may not have been heard; gives what stops it. */
  readonly onGap: (listener: () => void) => () => void
}

/** For those who serve a checkpointer to others, or keep in step with it: what it stands on is nobody else's business. */
const grounds = new WeakMap<Checkpointer, Hearing & { readonly host: Host }>()

export const isOn = (checkpointer: Checkpointer, host: Host, hearing: Hearing): void =>
  void grounds.set(checkpointer, { host, ...hearing })

/** Nothing of one that is not from here. */
export const hearingOf = (checkpointer: Checkpointer): Hearing | undefined => grounds.get(checkpointer)

export function hostOf(checkpointer: Checkpointer, subject = 'What is served', path = 'checkpointer'): Host {
  const known = typeof checkpointer === 'object' && checkpointer !== null && grounds.get(checkpointer)
  if (known) return known.host
  throw new CheckpointerError(
    'INVALID',
    `${subject} must be a Checkpointer, from openCheckpointer of this very copy of the package.`,
    { path },
  )
}
