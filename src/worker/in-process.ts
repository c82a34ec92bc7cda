import type { CheckpointerError } from '../errors.ts'
import { createHost } from '../operations/create-host.ts'
import type { Host, Publish, StoreRetention } from '../operations/host.ts'
import { indexedDbStorage } from '../storage/indexeddb.ts'
import type { Storage } from '../storage/storage.ts'
import { tabEvents, type Events } from '../tabs/events.ts'
import type { OpenMessage } from './wire.ts'

/** A host over IndexedDB in this thread: in the worker, or where there can be none. */
export async function indexedDbHost(
  { name, retention }: OpenMessage,
  onWarning: (warning: CheckpointerError) => void,
): Promise<Host> {
  const storage = indexedDbStorage({ name })
  const events = tabEvents(name)
  return withEvents(storage, events, onWarning, retention)
}

/** A host over any storage, in this thread. */
export function storageHost(
  storage: Storage,
  events: Events,
  onWarning: (warning: CheckpointerError) => void,
  retention: StoreRetention | undefined,
): Promise<Host> {
  return createHost({ storage, publish: (event) => events.publish(event), onWarning, retention })
}

/** The channel is closed with the host, after its last word. */
async function withEvents(
  storage: Storage,
  events: Events,
  onWarning: (warning: CheckpointerError) => void,
  retention: StoreRetention | undefined,
): Promise<Host> {
  const publish: Publish = (event) => events.publish(event)
  const host = await createHost({ storage, publish, onWarning, isWitnessed: true, retention }).catch(
    async (error: unknown) => {
      events.close()
      await storage.close()
      throw error
    },
  )
  const ending = (end: () => Promise<void>) => () => end().finally(() => events.close())
  return { ...host, close: ending(host.close), destroy: ending(host.destroy) }
}
