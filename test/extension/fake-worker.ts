import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { serveCheckpointer, type ServeOptions } from 'forkpoint/extension'
import { memoryStorage } from 'forkpoint/storage/memory'
import type { Storage } from '../../src/storage/storage.ts'
import type { FakeExtension } from './fake-runtime.ts'

export interface FakeWorker {
  /** What outlives it. */
  readonly storage: Storage
  start(): Promise<Checkpointer>
  starts(): number
  /** At once, and without a word to whatever runs in it. */
  kill(): void
}

/** A service worker that the browser starts when it is needed, over one storage. */
export function fakeWorker(
  extension: FakeExtension,
  options: Omit<ServeOptions, 'runtime'> = {},
): FakeWorker {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  let die: (() => void) | undefined
  let starts = 0
  const start = (): Promise<Checkpointer> => {
    starts++
    const life = mortal(storage)
    ;({ die } = life)
    const opening = openCheckpointer({ name: 'worker', storage: life.storage })
    serveCheckpointer(opening, { runtime: extension.runtime(), ...options })
    return opening
  }
  extension.wake = () => void (die ?? start())
  return {
    storage,
    start,
    starts: () => starts,
    kill() {
      die?.()
      die = undefined
      extension.kill()
    },
  }
}

/** A storage as one life of a service worker has it: what was begun may still be stored, and nobody goes on after it. */
function mortal(storage: Storage): { readonly storage: Storage; readonly die: () => void } {
  let isDead = false
  // Awaited by what was under way in it, for ever.
  const never = new Promise<never>(() => {})
  const alive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isDead) return never
    const reply = await call()
    return isDead ? never : reply
  }
  return {
    storage: {
      limits: storage.limits,
      read: (partition, queries) => alive(() => storage.read(partition, queries)),
      commit: (partition, batch) => alive(() => storage.commit(partition, batch)),
      locate: (key) => alive(() => storage.locate(key)),
      list: (query) => alive(() => storage.list(query)),
      partitions: (query) => alive(() => storage.partitions(query)),
      destroy: () => alive(() => storage.destroy()),
      close: () => alive(() => storage.close()),
    },
    die: () => void (isDead = true),
  }
}
