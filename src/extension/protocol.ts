import type { CheckpointerEvent } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { WireError } from '../worker/wire.ts'

/** The version of what is said over a port. Pages, scripts and other extensions may be of another build than their host. */
export const PROTOCOL = 1

/** What whoever serves says of itself; all else is calls and answers, in parts. */
export type Said =
  /** At once: somebody serves by this name, and opens the store. */
  | { readonly here: true }
  /** Calls may come, if they speak this version. */
  | { readonly hello: number }
  /** The last that is said. */
  | { readonly refused: WireError }
  | { readonly event: CheckpointerEvent }

export const otherVersion = (theirs: unknown): CheckpointerError =>
  new CheckpointerError(
    'UNSUPPORTED',
    `The service worker speaks version ${JSON.stringify(theirs)} over its ports, and this page version ${PROTOCOL}. They come from different versions of this package: reload the page, or the extension.`,
    { outcome: 'none' },
  )
