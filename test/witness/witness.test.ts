import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { describe, expect, it } from 'vitest'
import { deleteBehind, fakeArea, fakeFile, openTab } from './ground.ts'

let count = 0
const newName = (): string => `witness ${++count}`

const headsIn = ({ items }: ReturnType<typeof fakeArea>): string[] =>
  [...items.keys()].filter((key) => key.startsWith('forkpoint:heads:'))

type Records = readonly (readonly [store: string, records: readonly unknown[]])[]

/** Every record of the database, behind the library's back. */
async function copyOf(name: string): Promise<Records> {
  const db = await openDB(`forkpoint:${name}`)
  const copy = await Promise.all(
    [...db.objectStoreNames].map(async (store) => [store, await db.getAll(store)] as const),
  )
  db.close()
  return copy
}

/** Puts a copy in the place of all that is there: as if the engine had lost what came after it. */
async function setBack(name: string, copy: Records): Promise<void> {
  const db = await openDB(`forkpoint:${name}`)
  for (const [store, records] of copy) {
    await db.clear(store)
    for (const record of records) await db.put(store, record)
  }
  db.close()
}

describe('what is remembered outside of the database', () => {
  it('tells a wiped database from a new one, once', async () => {
    const [name, area] = [newName(), fakeArea()]
    const first = await openTab(name, area)
    for (let n = 1; n <= 3; n++) await first.checkpointer.thread('chat 1').save({ n })
    await first.checkpointer.thread('chat:2', { namespace: 'sub' }).save({ n: 1 })
    await first.checkpointer.close()
    await deleteBehind(name)

    const second = await openTab(name, area)
    await second.settled()
    expect(second.warnings).toMatchObject([
      {
        code: 'DATA_LOSS',
        loss: {
          expected: { threads: 2 },
          found: { threads: 0 },
          heads: expect.arrayContaining([
            { thread: 'chat:2', namespace: 'sub', expected: 1 },
            { thread: 'chat 1', namespace: '', expected: 3 },
          ]),
        },
      },
    ])
    const { expected: was, found: is } = second.warnings[0]?.loss ?? {}
    expect(was?.database).not.toBe(is?.database)
    expect((await second.checkpointer.verify()).problems).toMatchObject([
      { problem: second.warnings[0]?.message },
    ])
    await second.checkpointer.thread('chat 1').save({ n: 1 })
    await second.checkpointer.close()

    const third = await openTab(name, area)
    await third.settled()
    expect(third.warnings).toEqual([])
    expect((await third.checkpointer.verify()).problems).toHaveLength(1)
    await third.checkpointer.verify({ repair: true })
    expect((await third.checkpointer.verify()).problems).toEqual([])
    await third.checkpointer.destroy()
  })

  it('knows of copies and of imports, saved to or not', async () => {
    const [name, area] = [newName(), fakeArea()]
    const elsewhere = await openTab(newName(), fakeArea())
    for (let n = 1; n <= 3; n++) await elsewhere.checkpointer.thread('imported').save({ n })
    const first = await openTab(name, area)
    await first.checkpointer.thread('one').save({ n: 1 })
    await first.checkpointer.thread('one').copy('copy')
    await first.checkpointer.import(elsewhere.checkpointer.export())
    await first.checkpointer.close()
    await elsewhere.checkpointer.destroy()
    await deleteBehind(name)

    const second = await openTab(name, area)
    await second.settled()
    expect(second.warnings).toMatchObject([{ code: 'DATA_LOSS', loss: { expected: { threads: 3 } } }])
    expect(second.warnings[0]?.loss?.heads).toEqual(
      expect.arrayContaining([
        { thread: 'one', namespace: '', expected: 1 },
        { thread: 'copy', namespace: '', expected: 1 },
        { thread: 'imported', namespace: '', expected: 3 },
      ]),
    )
    await second.checkpointer.destroy()
  })

  it('tells a thread that was cut back from one that is whole', async () => {
    const [name, area] = [newName(), fakeArea()]
    const first = await openTab(name, area)
    await first.checkpointer.thread('whole').save({ n: 1 })
    await first.checkpointer.thread('cut').save({ n: 1 })
    const copy = await copyOf(name)
    for (let n = 2; n <= 4; n++) await first.checkpointer.thread('cut').save({ n })
    await first.checkpointer.close()
    await setBack(name, copy)

    const second = await openTab(name, area)
    await second.settled()
    expect(second.warnings).toMatchObject([
      {
        code: 'DATA_LOSS',
        thread: 'cut',
        namespace: '',
        seq: 4,
        loss: {
          expected: { threads: 2 },
          found: { threads: 2 },
          heads: [{ thread: 'cut', expected: 4, found: 1 }],
        },
      },
    ])
    const { loss, message } = second.warnings[0] ?? {}
    expect(loss?.expected.database).toBe(loss?.found.database)
    expect((await second.checkpointer.verify()).problems).toMatchObject([
      { kind: 'loss', thread: 'cut', problem: message },
    ])
    // From here on it is remembered as it is.
    expect((await second.checkpointer.thread('cut').save({ n: 2 })).seq).toBe(2)
    await second.checkpointer.close()
    const third = await openTab(name, area)
    await third.settled()
    expect(third.warnings).toEqual([])
    await third.checkpointer.destroy()
  })

  it('misses a thread of which nothing is left', async () => {
    const [name, area] = [newName(), fakeArea()]
    const first = await openTab(name, area)
    const copy = await copyOf(name)
    await first.checkpointer.thread('t').save({ n: 1 })
    await first.checkpointer.close()
    await setBack(name, copy)
    const second = await openTab(name, area)
    await second.settled()
    const [warning, ...others] = second.warnings
    expect(others).toEqual([])
    expect(warning?.loss?.heads).toEqual([{ thread: 't', namespace: '', expected: 1 }])
    await second.checkpointer.destroy()
  })

  it('misses a database that took one save, before any head of it was written down', async () => {
    const [name, area] = [newName(), fakeArea()]
    const first = await openTab(name, area, { behind: 60_000 })
    await first.checkpointer.thread('t').save({ n: 1 })
    first.crash()
    expect(headsIn(area)).toEqual([])
    await deleteBehind(name)
    const second = await openTab(name, area)
    await second.settled()
    expect(second.warnings).toMatchObject([
      { code: 'DATA_LOSS', loss: { expected: { threads: 0 }, heads: [] } },
    ])
    expect((await second.checkpointer.verify()).problems).toHaveLength(1)
    await second.checkpointer.close()
    const third = await openTab(name, area)
    await third.settled()
    expect(third.warnings).toEqual([])
    await third.checkpointer.destroy()
  })

  it('tells every database of a site what the browser has told one, and nothing to one that is new', async () => {
    const area = fakeArea()
    const [heard, other, fresh] = [newName(), newName(), newName()]
    for (const name of [heard, other]) {
      const tab = await openTab(name, fakeFile(name, area))
      await tab.checkpointer.thread('t').save({ n: 1 })
      await tab.checkpointer.close()
      await deleteBehind(name)
    }
    const first = await openTab(fresh, fakeFile(fresh, area), { dataLoss: 'a bad log' })
    await first.settled()
    expect(first.warnings).toEqual([])
    for (const name of [heard, other]) {
      const tab = await openTab(name, fakeFile(name, area))
      await tab.settled()
      expect(tab.warnings).toMatchObject([{ code: 'DATA_LOSS', thread: 't', seq: 1 }])
      expect(tab.warnings[0]?.message).toContain('a bad log')
      await tab.checkpointer.destroy()
    }
    await first.checkpointer.destroy()
  })

  it('misses nothing that was never there, or was removed on purpose', async () => {
    const [name, area] = [newName(), fakeArea()]
    const first = await openTab(name, area)
    const { checkpointer } = first
    for (const id of ['pruned', 'emptied', 'run', 'deleted', 'again', 'origin'])
      for (let n = 1; n <= 3; n++) await checkpointer.thread(id).save({ n }, { runId: 'r' })
    await checkpointer.thread('pruned').prune({ keepLast: 1 })
    await checkpointer.thread('emptied').deleteCheckpoints([3, 2])
    await checkpointer.thread('run').deleteRun('r')
    await checkpointer.thread('origin').fork({ at: 2, as: 'fork', edit: () => ({ n: 0 }) })
    await checkpointer.thread('origin').delete()
    await first.checkpointer.flush()
    // What a crash leaves behind: claims that were true, of threads that were deleted after.
    await expect.poll(() => headsIn(area)).toHaveLength(6)
    const claims = new Map(area.items)
    await checkpointer.thread('deleted').delete()
    await checkpointer.thread('again').delete()
    await checkpointer.thread('again').save({ n: 1 })
    first.crash()
    for (const [key, value] of claims) area.items.set(key, value)

    const second = await openTab(name, area)
    await second.settled()
    expect(second.warnings).toEqual([])
    expect((await second.checkpointer.verify()).problems).toEqual([])
    const other = await openTab(newName(), area)
    await other.settled()
    expect(other.warnings).toEqual([])
    await other.checkpointer.destroy()
    await second.checkpointer.destroy()
    expect([...area.items.keys()].filter((key) => !key.startsWith('forkpoint:gone:'))).toEqual([])
  })

  it('is not fooled by what a tab writes down after another has destroyed the database', async () => {
    const [name, area] = [newName(), fakeArea()]
    const slow = await openTab(name, area, { behind: 60_000 })
    const other = await openTab(name, area)
    await slow.settled()
    await slow.checkpointer.thread('t').save({ n: 1 })
    await other.checkpointer.destroy()
    await slow.checkpointer.close().catch(() => {})
    expect(headsIn(area)).toHaveLength(1)
    const third = await openTab(name, area)
    await third.settled()
    expect(third.warnings).toEqual([])
    expect(headsIn(area)).toEqual([])
    await third.checkpointer.destroy()
  })

  it('does not suffer from storage that is refused, full or damaged', async () => {
    const refuse = (): never => {
      throw new DOMException('no', 'SecurityError')
    }
    const refused = { ...fakeArea(), getItem: refuse, setItem: refuse, removeItem: refuse, key: refuse }
    const name = newName()
    const first = await openTab(name, refused)
    await first.checkpointer.thread('t').save({ n: 1 })
    await first.checkpointer.close()
    const area = fakeArea()
    for (const text of ['', '[]', '{', '{"database":1}', '{"database":"d","at":1,"seqs":[["",-1]]}'])
      area.setItem(`forkpoint:heads:${name.replace(' ', '!0020')}:t${area.length}`, text)
    area.setItem(`forkpoint:gone:${name.replace(' ', '!0020')}:d`, '{"a":1}')
    const second = await openTab(name, area)
    await second.settled()
    expect([...first.warnings, ...second.warnings]).toEqual([])
    await second.checkpointer.destroy()
  })

  it('does not grow without a bound', async () => {
    const [name, area] = [newName(), fakeArea()]
    const tab = await openTab(name, area)
    const saves = Array.from({ length: 520 }, (_, i) => tab.checkpointer.thread(`t${i}`).save({ n: 1 }))
    await Promise.all(saves)
    await tab.checkpointer.close()
    const claimed = headsIn(area).map((key) => key.split(':').at(-1))
    expect(claimed).toHaveLength(500)
    expect(claimed).not.toContain('t0')
    expect(claimed).toContain('t519')
    const again = await openTab(name, area)
    await again.settled()
    expect(again.warnings).toEqual([])
    await again.checkpointer.destroy()
  })

  it('says so without a new opening when the database is taken away while it is open', async () => {
    const [name, area] = [newName(), fakeArea()]
    const tab = await openTab(name, area)
    const thread = tab.checkpointer.thread('t')
    await thread.save({ n: 1 })
    await expect.poll(() => headsIn(area)).toHaveLength(1)
    await deleteBehind(name)
    await expect(thread.load()).rejects.toMatchObject({ code: 'CLOSED' })
    expect(await thread.load()).toBeUndefined()
    expect((await thread.save({ n: 2 })).seq).toBe(1)
    await expect.poll(() => tab.warnings.length).toBe(1)
    expect(tab.warnings).toMatchObject([{ code: 'DATA_LOSS', thread: 't', seq: 1 }])
    await thread.save({ n: 3 })
    await tab.checkpointer.close()
    const next = await openTab(name, area)
    await next.settled()
    expect(next.warnings).toEqual([])
    expect((await next.checkpointer.thread('t').load())?.seq).toBe(2)
    await next.checkpointer.destroy()
  })

  it('does not take what comes after an eviction for what was there before', async () => {
    const [name, area] = [newName(), fakeArea()]
    const tab = await openTab(name, area, { behind: 60_000 })
    const thread = tab.checkpointer.thread('t')
    for (let n = 1; n <= 3; n++) await thread.save({ n })
    await tab.checkpointer.flush()
    for (let n = 4; n <= 5; n++) await thread.save({ n })
    await deleteBehind(name)
    await expect(thread.load()).rejects.toMatchObject({ code: 'CLOSED' })
    expect((await thread.save({ n: 6 })).seq).toBe(1)
    await tab.checkpointer.close()

    const next = await openTab(name, area)
    await next.settled()
    expect(next.warnings).toMatchObject([{ code: 'DATA_LOSS', thread: 't', seq: 5 }])
    expect((await next.checkpointer.thread('t').load())?.seq).toBe(1)
    await next.checkpointer.destroy()
  })

  it('misses a database that took the place of an evicted one, as soon as it has acknowledged a save', async () => {
    const [name, area] = [newName(), fakeArea()]
    const tab = await openTab(name, area, { behind: 60_000 })
    const thread = tab.checkpointer.thread('t')
    await thread.save({ n: 1 })
    await deleteBehind(name)
    await expect(thread.load()).rejects.toMatchObject({ code: 'CLOSED' })
    await thread.save({ n: 2 })
    tab.crash()
    await deleteBehind(name)

    const next = await openTab(name, area)
    await next.settled()
    expect(next.warnings.map(({ code }) => code)).toEqual(['DATA_LOSS', 'DATA_LOSS'])
    expect(new Set(next.warnings.map(({ loss }) => loss?.expected.database)).size).toBe(2)
    await next.checkpointer.destroy()
  })

  it('says nothing when another tab has destroyed it while it was open', async () => {
    const [name, area] = [newName(), fakeArea()]
    const tab = await openTab(name, area)
    const thread = tab.checkpointer.thread('t')
    await thread.save({ n: 1 })
    const other = await openTab(name, area)
    await other.checkpointer.destroy()
    await expect(thread.load()).rejects.toMatchObject({ code: 'CLOSED' })
    expect((await thread.save({ n: 2 })).seq).toBe(1)
    await tab.settled()
    await tab.checkpointer.close()
    const next = await openTab(name, area)
    await next.settled()
    expect([tab, other, next].map(({ warnings }) => warnings)).toEqual([[], [], []])
    expect((await next.checkpointer.thread('t').load())?.seq).toBe(1)
    await next.checkpointer.destroy()
  })
})
