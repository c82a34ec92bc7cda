import type { Checkpointer } from '../checkpointer/checkpointer.ts'
import { hostOf } from '../checkpointer/host-of.ts'
import {
  checkFlag,
  checkFunction,
  checkIdAt,
  checkOptions,
  invalid,
  type Names,
} from '../checkpointer/options/options.ts'
import { CheckpointerError } from '../errors.ts'
import { GuardedHost } from '../remote/guard.ts'
import { Rooms } from './room.ts'
import { portName, runtimeHere, type Port, type Runtime } from './runtime.ts'
import { isExtensionPage } from './sender.ts'
import { ServedPort, type AllowSender } from './served-port.ts'

export interface ServeOptions {
  /** Asked for every thread that a call touches. Only pages of this extension are allowed when absent. */
  readonly allow?: AllowSender | undefined
  /** Tells it from others that this extension serves; `connectCheckpointer` gives the same. */
  readonly name?: string | undefined
  /** Also for pages and extensions that the manifest lets connect; else they are refused. `allow` is needed then. */
  readonly external?: boolean | undefined
  /**
   * The largest message that is taken, in bytes; and so much at most is kept of messages that have not come whole, for
   * all ports of a sender. 256 MiB when absent.
   */
  readonly maxBytes?: number | undefined
  /** In place of `chrome.runtime`. */
  readonly runtime?: Runtime | undefined
}

const SERVE: Names<ServeOptions> = { allow: true, name: true, external: true, maxBytes: true, runtime: true }
const MAX_BYTES = 256 * 2 ** 20

type Opened = Checkpointer | PromiseLike<Checkpointer>

/**
 * Serves a checkpointer of the service worker to the pages of its extension. To be called in the first turn of its
 * script, as all listeners there must be: so it takes the promise of a checkpointer too. Call what it returns to stop.
 */
export function serveCheckpointer(checkpointer: Opened, options: ServeOptions = {}): () => void {
  const given = checkOptions('serveCheckpointer', options, SERVE)
  const { name = 'forkpoint', external = false, maxBytes = MAX_BYTES, runtime = runtimeHere() } = given
  checkIdAt('name', 'The name of a checkpointer', name)
  if (!(maxBytes > 0)) throw invalid('maxBytes', 'a number of bytes')
  checkFunction('allow', given.allow)
  checkFlag('external', external)
  if (!runtime)
    throw new CheckpointerError(
      'UNSUPPORTED',
      'There is no chrome.runtime here: serve in a script of the extension, or give `runtime`.',
    )
  if (external && !given.allow) throw invalid('allow', 'a function where `external` is set')
  const allow = given.allow ?? ((sender) => isExtensionPage(sender, runtime))
  const opened = Promise.resolve(checkpointer)
  // Each call is told.
  opened.catch(() => {})
  const guard = opened.then((each) => new GuardedHost(hostOf(each)))
  guard.catch(() => {})
  const rooms = new Rooms(maxBytes)
  const open = new Set<ServedPort>()
  const acceptAs = (allowed: AllowSender) => (port: Port) => {
    if (port.name !== portName(name)) return
    const { room, leave } = rooms.enter(port.sender ?? {})
    const onStop = (): void => {
      open.delete(line)
      leave()
    }
    const line = new ServedPort(port, { opened, guard, allow: allowed, room, onStop })
    open.add(line)
    port.onDisconnect.addListener(() => line.end())
  }
  const accept = acceptAs(allow)
  // Who is outside is told that it may not, instead of nothing.
  const acceptExternal = acceptAs(external ? allow : () => false)
  runtime.onConnect.addListener(accept)
  runtime.onConnectExternal?.addListener(acceptExternal)
  return () => {
    runtime.onConnect.removeListener(accept)
    runtime.onConnectExternal?.removeListener(acceptExternal)
    for (const line of open) line.end()
  }
}
