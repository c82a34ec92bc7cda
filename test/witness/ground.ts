import type { Checkpointer, CheckpointerError } from 'forkpoint'
import { StoredCheckpointer } from '../../src/checkpointer/checkpointer.ts'
import type { Host } from '../../src/operations/host.ts'
import { createCodec } from '../../src/state/codec.ts'
import { beatClaims } from '../../src/tabs/beat-claims.ts'
import { localEvents } from '../../src/tabs/events.ts'
import { localStore, type Area } from '../../src/witness/local-store.ts'
import type { WitnessStore } from '../../src/witness/witness-store.ts'
import { witnessedHost } from '../../src/witness/witnessed-host.ts'
import { indexedDbHost } from '../../src/worker/in-process.ts'

/** What a browser keeps for a site beside its databases. */
export function fakeArea(): Area & { readonly items: Map<string, string> } {
  const items = new Map<string, string>()
  return {
    items,
    get length() {
      return items.size
    },
    key: (i) => [...items.keys()][i] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
}

export interface Tab {
  readonly checkpointer: Checkpointer
  /** What was told, but for the end of things. */
  readonly warnings: CheckpointerError[]
  /** From here on it writes nothing down: its process is gone. */
  crash(): void
  /** All that was remembered has been compared. */
  settled(): Promise<void>
}

/** A place that is always up to date on the disk, as a private file is. */
export function fakeFile(name: string, area: Area): WitnessStore {
  const store = localStore(name, area)
  return { ...store, read: async () => ({ ...(await store.read()), isSure: true }) }
}

interface TabOptions {
  /** How long heads may wait to be written down. */
  readonly behind?: number
  /** What the browser says of the opening. */
  readonly dataLoss?: string | undefined
}

/** A tab over (fake) IndexedDB with a witness in this area. */
export async function openTab(
  name: string,
  area: Area | WitnessStore,
  { behind = 0, dataLoss }: TabOptions = {},
): Promise<Tab> {
  const warnings: CheckpointerError[] = []
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  const inner = await indexedDbHost({ name }, onWarning)
  const host: Host = dataLoss === undefined ? inner : { ...inner, reconcile: saying(inner, dataLoss) }
  let crashed = false
  const kept = 'read' in area ? area : localStore(name, area)
  const none = async (): Promise<void> => {}
  const store: WitnessStore = {
    read: () => kept.read(),
    put: (entries) => (crashed ? none() : kept.put(entries)),
    drop: (threads, database) => (crashed ? none() : kept.drop(threads, database)),
    markMade: (database) => (crashed ? none() : kept.markMade(database)),
    markGone: (databases) => (crashed ? none() : kept.markGone(databases)),
    unmarkGone: (database) => (crashed ? none() : kept.unmarkGone(database)),
    noteThrownAway: (note) => (crashed ? none() : kept.noteThrownAway(note)),
  }
  const pace = { behind, between: 0 }
  const witnessed = witnessedHost(host, { name, store, onWarning, pace, wordOfOthers: 0 })
  const checkpointer = new StoredCheckpointer({
    host: witnessed,
    codec: createCodec(),
    events: localEvents(),
    claims: async () => beatClaims(witnessed, onWarning),
    onWarning,
  })
  return {
    checkpointer,
    warnings,
    crash() {
      crashed = true
      // Its connection goes with it.
      host.close().catch(() => {})
    },
    settled: async () => void (await checkpointer.verify()),
  }
}

/** As a browser reports of a database that it has made anew. */
const saying =
  (host: Host, dataLoss: string): Host['reconcile'] =>
  async (request) => {
    const reply = await host.reconcile(request)
    return { ...reply, session: { unclean: false, owing: [], ...reply.session, dataLoss } }
  }

export const deleteBehind = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`forkpoint:${name}`)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
