import { connectCheckpointer } from 'forkpoint/extension'
import { chrome } from './chrome.ts'
import { dump } from './dump.ts'
import { follow } from './errand.ts'
import { numbersIn, saveAtOnce, saveMany } from './saves.ts'
import { changedIn, values } from './values.ts'
import { visit } from './visit.ts'

const checkpointer = await connectCheckpointer()
const heard = new Set<string>()

/** A page of the extension, as the tests use it. */
const page = {
  checkpointer,
  /** The same store, written behind. */
  behind: () => connectCheckpointer({ durability: 'async' }),
  saveMany,
  saveAtOnce,
  numbersIn,
  follow,
  values,
  changedIn,
  dump,
  /** Counts the changes that are heard of from now on, each once. */
  listen: () => checkpointer.subscribe((event) => heard.add(JSON.stringify(event))),
  heard: () => heard.size,
  askWorker: (ask: string, more: object = {}): Promise<unknown> =>
    chrome.runtime.sendMessage({ ask, ...more }),
}
export type ExtensionPage = typeof page
Object.assign(globalThis, { page })

const visiting = new URL(location.href).searchParams.get('visit')
if (visiting !== null) await visit(checkpointer, visiting)
