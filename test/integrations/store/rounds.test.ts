import { persist } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import { expect, it } from 'vitest'
import { all, tabs } from './ground.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Two versions of a page, each of which migrates what the other has written, and writes that. */
async function twoVersions() {
  const open = tabs()
  const version = async (version: number) => {
    const ground = await open()
    const { storage } = ground
    const store = createStore<{ n: number }>()(
      persist(() => ({ n: 0 }), { name: 'a', storage, version, migrate: (state) => state as { n: number } }),
    )
    storage.subscribe((name) => void (name === 'a' && store.persist.rehydrate()))
    await expect.poll(() => store.persist.hasHydrated()).toBe(true)
    return { ...ground, store }
  }
  const older = await version(2)
  const newer = await version(3)
  const count = async (): Promise<number> => (await all(older.storage.history('a'))).length
  const atRest = async (): Promise<void> => {
    let before = -1
    await expect
      .poll(
        async () => {
          const [last, now] = [before, await count()]
          before = now
          return now === last
        },
        { interval: 300 },
      )
      .toBe(true)
  }
  return { older, newer, count, atRest }
}

it('an item that two tabs make something else of, in turn, comes to rest, and the one that stops is told', async () => {
  const { older, newer, count, atRest } = await twoVersions()
  older.store.setState({ n: 1 })
  await atRest()
  expect(await count()).toBeLessThan(30)
  const warnings = [...older.warnings, ...newer.warnings].filter(({ message }) => message.includes('in turn'))
  expect(warnings).toMatchObject([{ code: 'CONFLICT', thread: 'a' }])
})

it('what is set by a person is written behind that, too', async () => {
  const { older, newer, atRest } = await twoVersions()
  older.store.setState({ n: 1 })
  await atRest()
  newer.store.setState({ n: 2 })
  await atRest()
  expect([older.store.getState().n, newer.store.getState().n]).toEqual([2, 2])
  expect(await newer.storage.getItem('a')).toMatchObject({ state: { n: 2 } })
})

it('what answers another’s value each time is written, if that comes now and then', async () => {
  const open = tabs()
  const { storage: asks } = await open()
  const { storage: answers } = await open()
  await answers.getItem('a')
  const answer = async (name: string): Promise<void> => {
    if ((await answers.getItem(name)) === 'ping') await answers.setItem(name, 'pong')
  }
  answers.subscribe((name) => void answer(name))
  for (let n = 0; n < 4; n++) {
    await asks.getItem('a')
    await asks.setItem('a', 'ping')
    await asks.flush()
    await expect.poll(() => asks.getItem('a')).toBe('pong')
    await pause(20)
  }
})
