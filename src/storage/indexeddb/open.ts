import { openDB } from 'idb'
import { CheckpointerError } from '../../errors.ts'
import { nameOf, withinTime } from './errors.ts'
import { isWebKit } from '../../platform/engine.ts'
import { Gate } from './gate.ts'
import { hasOurStores, SCHEMA_VERSION, upgrade, type Schema } from './schema.ts'
import type { Opened } from './transaction.ts'

/** What is told of an open database from outside. */
interface Listeners {
  /** Another tab upgrades it, or deletes it when `destroyed`: holding on would block that. */
  readonly onVersionChange: (destroyed: boolean) => void
  /** The browser has closed it. */
  readonly onClose: () => void
}

interface OpenedAnew extends Opened {
  /** What the browser said that it has thrown away. */
  readonly dataLoss?: string
}

/** Pauses before an open that failed is tried again. WebKit and Chromium mend some failures by themselves. */
const PAUSES = [100, 400]

/** Opens the database, a few times if need be; then says what can be done. */
export async function openDatabase(name: string, listeners: Listeners): Promise<OpenedAnew> {
  for (let tried = 0; ; tried++) {
    try {
      return await openOnce(name, listeners)
    } catch (error) {
      if (!RETRIED.includes(nameOf(error))) throw error
      const pause = PAUSES[tried]
      if (pause === undefined) throw unreadable(name, error)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

const RETRIED = ['UnknownError', 'AbortError', 'InvalidStateError']

/** One of a later version is opened as it is: what is stored in it says what this one may do with it. */
async function openOnce(name: string, listeners: Listeners): Promise<OpenedAnew> {
  try {
    return await openAs(SCHEMA_VERSION, name, listeners)
  } catch (error) {
    if (nameOf(error) !== 'VersionError') throw error
    const opened = await openAs(undefined, name, listeners)
    if (hasOurStores(opened.db)) return opened
    opened.db.close()
    throw error
  }
}

async function openAs(
  version: number | undefined,
  name: string,
  { onVersionChange, onClose }: Listeners,
): Promise<OpenedAnew> {
  let dataLoss: string | undefined
  const db = await withinTime(
    { name, doing: 'opened' },
    (onBlocked) =>
      openDB<Schema>(name, version, {
        upgrade: (made, oldVersion, _newVersion, _tx, event) => {
          dataLoss = dataLossOf(event)
          upgrade(made, oldVersion)
        },
        blocked: onBlocked,
        blocking: (_current, wanted, event) => {
          ;(event.target as IDBDatabase).close()
          onVersionChange(wanted === null)
        },
        terminated: onClose,
      }),
    (late) => late.close(),
  )
  const opened = isWebKit() ? { db, gate: new Gate() } : { db }
  return dataLoss === undefined ? opened : { ...opened, dataLoss }
}

/** Chromium alone says when it has made a database anew because the old one's files were damaged. */
function dataLossOf(event: IDBVersionChangeEvent): string | undefined {
  const { dataLoss, dataLossMessage } = event as { dataLoss?: unknown; dataLossMessage?: unknown }
  if (typeof dataLoss !== 'string' || dataLoss === 'none') return undefined
  return `${dataLoss}: ${String(dataLossMessage)}`
}

const unreadable = (name: string, cause: unknown): CheckpointerError =>
  new CheckpointerError(
    'FAILED',
    `The browser could not open the database ${name}, ${PAUSES.length + 1} times over: ${String(cause)}. ` +
      'Close all its windows and start it again, and see that the disk has room. If that does not help, the files ' +
      'are damaged: destroy(), or clearing the data of this site, makes room for a new one.',
    { cause },
  )
