import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import type { Checkpointer } from './checkpointer.ts'

/** For those who serve a checkpointer to others: what it stands on is nobody else's business. */
const hosts = new WeakMap<Checkpointer, Host>()

export const isOn = (checkpointer: Checkpointer, host: Host): void => void hosts.set(checkpointer, host)

export function hostOf(checkpointer: Checkpointer, subject = 'What is served', path = 'checkpointer'): Host {
  const known = typeof checkpointer === 'object' && checkpointer !== null && hosts.get(checkpointer)
  if (known) return known
  throw new CheckpointerError(
    'INVALID',
    `${subject} must be a Checkpointer, from openCheckpointer of this very copy of the package.`,
    { path },
  )
}
