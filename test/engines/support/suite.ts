import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { checkpointerSuite, storageSuite } from 'forkpoint/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { EngineAtWork, type Engine } from './engine.ts'
import { engineLaws } from './laws.ts'

/** Beside an engine that has one database: what is brought there and back has been through it all the same. */
async function inMemory() {
  const storage = memoryStorage()
  return {
    open: (options = {}) => openCheckpointer({ name: 'beside', storage, ...options }),
    storage: async () => storage,
  }
}

/** All that holds for a storage, on the real engine, in processes of its own. */
export function engineSuite(engine: Engine, ownLaws: (work: EngineAtWork) => void = () => {}): void {
  describe(engine.name, () => {
    const work = new EngineAtWork(engine)
    beforeAll(() => work.start(), 120_000)
    afterAll(() => work.end())

    storageSuite('storage', {
      async open() {
        const database = await work.newDatabase()
        return {
          storage: await work.open(database),
          reopen: () => work.open(database),
          another: () => work.open(database, 1),
        }
      },
    })

    checkpointerSuite('storage', async () => {
      const database = await work.newDatabase()
      const name = `${engine.name} ${database} ${Math.random()}`
      return {
        open: async (options = {}) =>
          openCheckpointer({ name, storage: await work.open(database), ...options }),
        storage: () => work.open(database),
        ...(engine.databases === 'one' ? { other: inMemory } : {}),
      }
    })

    engineLaws(work)
    ownLaws(work)
  })
}
