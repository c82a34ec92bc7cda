import { expect, it } from 'vitest'
import { CheckpointerError, openCheckpointer } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** Commits of this storage can be made to end without a word whether they were made. */
function silentStorage() {
  const real = memoryStorage()
  let next: boolean | undefined
  let isDown = false
  let goesDown = false
  const there = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDown) throw new CheckpointerError('FAILED', 'Nobody is there.', { outcome: 'none' })
    return work()
  }
  const storage: Storage = {
    limits: real.limits,
    read: (partition, queries) => there(() => real.read(partition, queries)),
    async commit(partition, batch) {
      if (isDown) return there(() => real.commit(partition, batch))
      const made = next
      next = undefined
      isDown = made !== undefined && goesDown
      if (made !== false) {
        const result = await real.commit(partition, batch)
        if (made === undefined) return result
      }
      throw new CheckpointerError('FAILED', 'It broke off.', { outcome: 'unknown' })
    },
    locate: (key) => there(() => real.locate(key)),
    list: (query) => real.list(query),
    partitions: (query) => real.partitions(query),
    destroy: () => real.destroy(),
    close: () => real.close(),
  }
  return {
    storage,
    silence: (made: boolean) => void (next = made),
    /** The same, and from then on nothing can be read either, until it is back. */
    fall: (made: boolean) => void ([next, goesDown] = [made, true]),
    isBack: () => void ([isDown, goesDown] = [false, false]),
  }
}

it.each([true, false])(
  'a save, a fork, a copy and writes that broke off are there once: made %s',
  async (made) => {
    const { storage, silence } = silentStorage()
    const checkpointer = await openCheckpointer({ name: 'unknown', storage })
    const thread = checkpointer.thread<{ n: number }>('t')
    silence(made)
    expect((await thread.save({ n: 1 })).seq).toBe(1)
    silence(made)
    expect((await thread.save({ n: 2 })).seq).toBe(2)
    silence(made)
    const fork = await thread.fork({ as: 'fork' })
    expect((await fork.load())?.seq).toBe(2)
    silence(made)
    const copy = await thread.copy('copy')
    expect((await copy.load())?.seq).toBe(2)
    silence(made)
    await thread.putWrites(2, 'task', [{ channel: 'c', value: 7 }])
    expect((await thread.load())?.pendingWrites).toHaveLength(1)
    expect(await checkpointer.usage()).toMatchObject({ threads: 3, checkpoints: 2 })
    expect((await checkpointer.verify()).problems).toEqual([])
  },
)

it('what cannot recognise itself says that the outcome is unknown', async () => {
  const { storage, silence } = silentStorage()
  const checkpointer = await openCheckpointer({ name: 'unknown', storage })
  const thread = checkpointer.thread<{ n: number }>('t')
  await thread.save({ n: 1 })
  silence(true)
  await expect(thread.delete()).rejects.toMatchObject({ code: 'FAILED', outcome: 'unknown' })
  expect(await thread.load()).toBeUndefined()
})

it.each([true, false])(
  'where it cannot be looked at either, it is told as unknown, and is there once when it is called for again: made %s',
  async (made) => {
    const { storage, fall, isBack } = silentStorage()
    const checkpointer = await openCheckpointer({ name: 'unknown', storage })
    const thread = checkpointer.thread<{ n: number }>('t')
    const twice = async <T>(call: () => Promise<T>): Promise<T> => {
      fall(made)
      await expect(call()).rejects.toMatchObject({ code: 'FAILED', outcome: 'unknown' })
      isBack()
      return call()
    }
    expect((await twice(() => thread.save({ n: 1 }))).seq).toBe(1)
    expect((await twice(() => thread.save({ n: 2 }))).seq).toBe(2)
    expect((await twice(() => thread.save({ n: 3 }, { expect: 2 }))).seq).toBe(3)
    await twice(() => thread.fork({ as: 'fork' }))
    await twice(() => thread.fork())
    await twice(() => thread.copy('copy'))
    await twice(() => thread.putWrites(3, 'task', [{ channel: 'c', value: 7 }]))
    expect((await thread.load())?.pendingWrites).toHaveLength(1)
    expect(await checkpointer.usage()).toMatchObject({ threads: 4, checkpoints: 3 })
    expect((await checkpointer.verify()).problems).toEqual([])
  },
)
