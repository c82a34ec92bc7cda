import 'fake-indexeddb/auto'
import { openCheckpointer, type Checkpointer, type Host } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { forkpointStorage } from 'forkpoint/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../../../src/operations/create-host.ts'
import { listeners } from '../../../src/tabs/events.ts'
import { listOf } from '../../../src/testing/checkpointer/ground.ts'

interface Shared {
  /** Two who use the same store, one of them with gaps in what it hears. */
  readonly all: readonly [Checkpointer, Checkpointer]
  /** Tells the first that something may not have been heard. */
  gap(): void
}

const ways: [string, () => Promise<Shared>][] = [
  [
    'two processes share a storage, where none hears of the other',
    async () => {
      const storage = Object.assign(memoryStorage(), { close: async () => {} })
      const open = (): Promise<Checkpointer> => openCheckpointer({ name: 'shared', storage })
      return { all: [await open(), await open()], gap() {} }
    },
  ],
  [
    'there was a gap in what was heard',
    async () => {
      const storage = Object.assign(memoryStorage(), { close: async () => {} })
      const news = listeners()
      let gap = (): void => {}
      const real: Host = await createHost({ storage, publish: news.tell })
      const onGap = (listener: () => void): (() => void) => {
        gap = listener
        return () => {}
      }
      const events = { subscribe: news.add, hearsAll: true, onGap, close() {} }
      const one = await openCheckpointer({ name: 'deaf', host: { ...real, events } })
      const other = await openCheckpointer({ name: 'deaf', storage })
      return { all: [one, other], gap: () => gap() }
    },
  ],
]

it.each(ways)('whoever sets an item last has it, also where %s', async (_, make) => {
  const { all, gap } = await make()
  const [one, two] = [forkpointStorage(all[0], { every: 0 }), forkpointStorage(all[1], { every: 0 })]
  onTestFinished(async () => void (await Promise.all(all.map((each) => each.close()))))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  for (const value of ['dark', { mode: 'dark' }]) {
    await one.setItem('i', value)
    await one.flush()
    await two.setItem('i', 'light')
    await two.flush()
    gap()
    await one.setItem('i', value)
    await one.flush()
    expect(await two.getItem('i')).toEqual(value)
  }
})

it.each(ways)('the same value again is no change, also where %s', async (_, make) => {
  const { all, gap } = await make()
  onTestFinished(async () => void (await Promise.all(all.map((each) => each.close()))))
  const items = forkpointStorage(all[0], { every: 0 })
  const values = ['text', { n: [1, { m: 2 }] }, 'text']
  for (const value of values)
    for (let times = 0; times < 3; times++) {
      gap()
      await items.setItem('i', structuredClone(value))
      await items.flush()
    }
  await items.getItem('i')
  gap()
  await items.setItem('i', 'text')
  await items.flush()
  expect(await listOf(items.history('i'))).toHaveLength(values.length)
  await items.removeItem('i')
  gap()
  await items.removeItem('i')
  expect(await listOf(items.history('i'))).toHaveLength(values.length + 1)
})

it('what is set after everything was destroyed elsewhere is written, and was told', async () => {
  const name = crypto.randomUUID()
  const open = (): Promise<Checkpointer> => openCheckpointer({ name, worker: false, onWarning: () => {} })
  const one = await open()
  const items = forkpointStorage(one, { every: 0, onError: () => {} })
  const told: string[] = []
  items.subscribe((item) => told.push(item))
  await items.setItem('i', 'same')
  await items.flush()
  await (await open()).destroy()
  await vi.waitFor(() => expect(told).toEqual(['i']))
  // The first call may hear that its database is gone.
  await vi.waitFor(async () => {
    await items.setItem('i', 'same')
    await items.flush()
  })
  const other = await open()
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])))
  expect(await forkpointStorage(other).getItem('i')).toBe('same')
})
