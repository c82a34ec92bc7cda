import { openCheckpointer, type Checkpointer, type CheckpointerError } from 'forkpoint'
import { connectCheckpointer, serveCheckpointer } from 'forkpoint/extension'
import { memoryStorage } from 'forkpoint/storage/memory'
import { checkpointerSuite } from 'forkpoint/testing'
import { FakeExtension } from './fake-runtime.ts'

const onlyShifts = (warning: CheckpointerError): void => {
  if (warning.code !== 'CONFLICT') throw warning
}

checkpointerSuite('over the ports of an extension, written behind', async () => {
  const extension = new FakeExtension()
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const served: Checkpointer[] = []
  let stop = (): void => {}
  return {
    // What is let go by itself is the serving side's to say.
    async open({ retention, ...more } = {}) {
      if (retention || served.length === 0) {
        stop()
        const checkpointer = await openCheckpointer({ name: 'worker', storage, retention })
        served.push(checkpointer)
        stop = serveCheckpointer(checkpointer, { runtime: extension.runtime() })
      }
      return connectCheckpointer({
        runtime: extension.runtime(),
        durability: 'async',
        onWarning: onlyShifts,
        ...more,
      })
    },
    storage: async () => storage,
    isWrittenBehind: true,
    isServed: true,
    async clear() {
      stop()
      for (const checkpointer of served) await checkpointer.close()
    },
  }
})
