import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ExportLine } from '../../src/operations/carry/lines.ts'
import { createHost } from '../../src/operations/create-host.ts'
import { mapHost } from '../../src/operations/verbs.ts'
import { forged } from '../support/forged.ts'
import { offBy } from '../support/off-by.ts'

/** No date is beyond it. */
const LAST = 8.64e15
const HOUR = 3_600_000

async function device(name: string): Promise<Checkpointer> {
  const store = await openCheckpointer({ name, storage: memoryStorage() })
  onTestFinished(() => store.close())
  return store
}

const puts = (store: Checkpointer, ...values: readonly string[]): Promise<void> =>
  store.thread('t').putWrites(
    1,
    'task',
    values.map((value, i) => ({ channel: 'c', value, index: -1 - i })),
  )

const valuesIn = async (store: Checkpointer): Promise<unknown> =>
  (await store.thread('t').load(1))?.pendingWrites.map(({ value }) => value)

it('a thread out of a file whose writes are dated at the end of all time can be read and written', async () => {
  const [here, there, other] = [await device('here'), await device('there'), await device('other')]
  await here.thread('t').save({})
  await puts(here, 'a', 'b', 'c')
  const late = (line: ExportLine): ExportLine =>
    line.kind === 'write' ? { ...line, at: LAST, made: LAST } : line
  await there.import(forged(here.export(), late))
  for (let n = 1; n <= 3; n++) await puts(there, `${n}`, 'b', 'c')
  expect(await valuesIn(there)).toEqual(['3', 'b', 'c'])
  await there.thread('t').save({})
  await there.sync(other)
  await puts(other, 'last')
  await other.sync(there)
  expect(await valuesIn(there)).toContain('last')
  expect((await there.verify()).problems).toEqual([])
})

/** Each store has an order of its own. */
const sorted = async (store: Checkpointer): Promise<unknown> =>
  ((await valuesIn(store)) as string[]).toSorted()

it.each([
  ['late', 4e12],
  ['as late as any that is taken as it is', 2 ** 42 + 2 ** 40],
  ['a moment before that', 2 ** 42 + 2 ** 40 - 0.001],
  ['at the end of all time', LAST],
])('what overwrites a write that is dated %s comes to be the same in all stores', async (_when, time) => {
  const [here, there, edge] = [await device('here'), await device('there'), await device('edge')]
  await here.thread('t').save({})
  await puts(here, 'old', 'older')
  const late = (line: ExportLine): ExportLine =>
    line.kind === 'write' ? { ...line, at: time, made: time } : line
  for (const store of [there, edge]) await store.import(forged(here.export(), late))
  await there.sync(edge)
  for (let n = 1; n <= 3; n++) await puts(there, `new ${n}`, `z ${n}`)
  for (let times = 0; times < 2; times++) await there.sync(edge)
  expect(await sorted(edge)).toEqual(await sorted(there))
  const third = await device('third')
  await third.import(there.export())
  for (let times = 0; times < 2; times++) await third.sync(edge)
  expect(await sorted(edge)).toEqual(await sorted(third))
  if (time === 4e12 || time === LAST) expect(await sorted(edge)).toEqual(['new 3', 'z 3'])
})

it('what a file brings is not overwritten by what it was written over elsewhere', async () => {
  const [here, there, edge] = [await device('here'), await device('there'), await device('edge')]
  await here.thread('t').save({})
  await puts(here, 'old')
  await here.sync(edge)
  await offBy(HOUR, () => puts(here, 'new'))
  await there.import(here.export())
  await there.sync(edge)
  for (const store of [there, edge]) expect(await valuesIn(store)).toEqual(['new'])
})

it('a thread that a hostile store has dated at the end of all time can be read, and its run taken up', async () => {
  const storage = memoryStorage()
  const hostile = mapHost(await createHost({ storage }), (run, verb) => async (request) => {
    const answer = await run(request)
    const text = (value: unknown): unknown =>
      value instanceof Uint8Array || typeof value !== 'object' || value === null
        ? value
        : Array.isArray(value)
          ? value.map(text)
          : Object.fromEntries(
              Object.entries(value).map(([key, held]) => [
                key,
                key === 'at' || key === 'made' ? LAST : text(held),
              ]),
            )
    return (verb.startsWith('sync') ? text(answer) : answer) as typeof answer
  })
  const there = await openCheckpointer({ name: 'hostile', host: hostile })
  const here = await device('here')
  const failing = there.thread<object>('t').run({ runId: 'r', initial: {} }, async ({ step }) => {
    await step('a', () => 1)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await puts(there, 'theirs')
  await here.sync(there)
  for (let times = 0; times < 3; times++) {
    const again = here.thread<object>('t').run({ runId: 'r' }, async ({ step }) => {
      await step('a', () => 1)
      throw new Error('again')
    })
    await expect(again).rejects.toThrow('again')
    await puts(here, `${times}`)
  }
  expect(await valuesIn(here)).toContain('2')
  expect((await here.verify()).problems).toEqual([])
  await there.close()
})

it('nothing is stored that is dated beyond all dates, and what is there can be read', async () => {
  const here = await device('here')
  await here.thread('t').save({ n: 1 })
  const clock = vi.spyOn(Date, 'now').mockReturnValue(LAST + 1)
  onTestFinished(() => clock.mockRestore())
  await expect(here.thread('t').save({ n: 2 })).rejects.toMatchObject({ code: 'INVALID' })
  await expect(here.thread('t').fork({ as: 'fork' })).rejects.toMatchObject({ code: 'INVALID' })
  await puts(here, 'a', 'b')
  clock.mockRestore()
  expect((await here.thread('t').load())?.state).toEqual({ n: 1 })
  await here.thread('t').save({ n: 3 })
  expect((await here.verify()).problems).toEqual([])
})

it('a thread that was deleted is not taken for lost where the clock was set back before', async () => {
  const host = await createHost({ storage: memoryStorage(), isWitnessed: true })
  const store = await openCheckpointer({ name: 'here', host })
  onTestFinished(() => store.close())
  await offBy(HOUR, async () => void (await store.thread('t').save({ n: 1 })))
  await store.thread('t').delete()
  const heads = [{ thread: 't', namespace: '', seq: 1, at: Date.now() + HOUR }]
  expect((await host.reconcile({ heads })).found).toEqual([{ isLost: false }])
})
