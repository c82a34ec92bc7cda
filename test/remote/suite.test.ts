import { afterAll, beforeAll } from 'vitest'
import { openCheckpointer, type Checkpointer, type CheckpointerError, type RetentionPolicy } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { memoryStorage } from 'forkpoint/storage/memory'
import { checkpointerSuite } from 'forkpoint/testing'
import { serving, type Serving } from './serving.ts'

/** One server for all laws; each has a store of its own there, which its path names. */
const stores = new Map<string, Checkpointer>()
let server: Serving

beforeAll(async () => {
  server = await serving(
    (request) => {
      const store = stores.get(new URL(request.url).pathname.split('/')[1] ?? '')
      if (!store) throw new Error('no such store')
      return store
    },
    { authorize: () => true },
  )
})
afterAll(() => server.stop())

const onlyShifts = (warning: CheckpointerError): void => {
  if (warning.code !== 'CONFLICT') throw warning
}

let count = 0
checkpointerSuite('over HTTP', async () => {
  const name = `store-${++count}`
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const served: Checkpointer[] = []
  // What is let go by itself is the server's to say.
  const serve = async (retention?: RetentionPolicy): Promise<void> => {
    served.push(await openCheckpointer({ name, storage, retention }))
    stores.set(name, served.at(-1)!)
  }
  return {
    async open({ retention, ...more } = {}) {
      if (retention || served.length === 0) await serve(retention)
      return openCheckpointer({
        name,
        host: remoteHost(`${server.url}/${name}`),
        onWarning: onlyShifts,
        ...more,
      })
    },
    storage: async () => storage,
    isServed: true,
    async clear() {
      stores.delete(name)
      for (const store of served) await store.close()
    },
  }
})
