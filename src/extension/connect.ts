import { checkIdAt, checkOptions, type Names } from '../checkpointer/options/options.ts'
import type { Checkpointer } from '../checkpointer/checkpointer.ts'
import { CheckpointerError } from '../errors.ts'
import { openCheckpointer, type OpenOptions } from '../open-checkpointer.ts'
import { warner } from '../warner.ts'
import { portHost } from './port-host.ts'
import { portName, runtimeHere, type Runtime } from './runtime.ts'

export interface ConnectOptions extends Pick<OpenOptions, 'durability' | 'types' | 'onWarning'> {
  /** What the service worker serves it as, if it has said so. */
  readonly name?: string | undefined
  /** For a page of the web, or another extension: which extension is meant. */
  readonly extensionId?: string | undefined
  /** In place of `chrome.runtime`. */
  readonly runtime?: Runtime | undefined
}

const CONNECT: Names<ConnectOptions> = {
  name: true,
  extensionId: true,
  runtime: true,
  durability: true,
  types: true,
  onWarning: true,
}

/** The checkpointer that the service worker of this extension serves, for its pages and scripts. */
export async function connectCheckpointer(options: ConnectOptions = {}): Promise<Checkpointer> {
  const given = checkOptions('connectCheckpointer', options, CONNECT)
  const { name = 'forkpoint', extensionId, runtime = runtimeHere(), durability, types, onWarning } = given
  checkIdAt('name', 'The name of a checkpointer', name)
  if (!runtime)
    throw new CheckpointerError(
      'UNSUPPORTED',
      'There is no chrome.runtime here: connect in a page or script of the extension, or give `runtime`.',
    )
  const info = { name: portName(name) }
  const host = portHost(
    () => (extensionId === undefined ? runtime.connect(info) : runtime.connect(extensionId, info)),
    { onWarning: warner(onWarning) },
  )
  return openCheckpointer({ name, host, durability, types, onWarning })
}
