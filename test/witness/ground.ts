import type { Checkpointer, CheckpointerError } from 'forkpoint'
import { StoredCheckpointer } from '../../src/checkpointer/checkpointer.ts'
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

/** A tab over (fake) IndexedDB with a witness in this area. */
export async function openTab(name: string, area: Area | WitnessStore, behind = 0): Promise<Tab> {
  const warnings: CheckpointerError[] = []
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  const host = await indexedDbHost({ name }, onWarning)
  let crashed = false
  const kept = 'read' in area ? area : localStore(name, area)
  const none = async (): Promise<void> => {}
  const store: WitnessStore = {
    read: () => kept.read(),
    put: (entries) => (crashed ? none() : kept.put(entries)),
    drop: (threads, database) => (crashed ? none() : kept.drop(threads, database)),
    markGone: (databases) => (crashed ? none() : kept.markGone(databases)),
    unmarkGone: (database) => (crashed ? none() : kept.unmarkGone(database)),
  }
  const pace = { behind, between: 0 }
  const witnessed = witnessedHost(host, { name, store, onWarning, pace })
  const checkpointer = new StoredCheckpointer({
    host: witnessed,
    codec: createCodec(),
    events: localEvents(),
    claims: beatClaims(witnessed, onWarning),
    durability: 'sync',
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

export const deleteBehind = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`forkpoint:${name}`)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
