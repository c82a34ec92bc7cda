import { describe, expect, it, vi } from 'vitest'
import { all, tabs } from './ground.ts'

const NOW = { every: 0 }

async function withThree(options: object = NOW) {
  const open = tabs()
  const ground = await open(options)
  for (const value of ['one', 'two', 'three']) {
    await ground.storage.setItem('a', value)
    await ground.storage.flush()
  }
  return { ...ground, open }
}

describe('closing', () => {
  it('the checkpointer writes what waits', async () => {
    const open = tabs()
    const { storage, checkpointer } = await open({ every: 60_000 })
    for (const value of ['one', 'two']) await storage.setItem('a', value)
    await checkpointer.close()
    expect(await (await open()).storage.getItem('a')).toBe('two')
  })

  it('and so does its flush', async () => {
    const open = tabs()
    const { storage, checkpointer } = await open({ every: 60_000 })
    for (const value of ['one', 'two']) await storage.setItem('a', value)
    await checkpointer.flush()
    expect(await (await open()).storage.getItem('a')).toBe('two')
  })
})

describe('undo and redo', () => {
  it('go back step by step, and forth again, also after a reload', async () => {
    const { storage, open } = await withThree()
    const seen: (string | null)[] = []
    const look = async (done: boolean, of = storage) => done && seen.push(await of.getItem('a'))
    await look(await storage.undo('a'))
    await look(await storage.undo('a'))
    expect(await storage.undo('a')).toBe(false)
    const next = (await open()).storage
    await look(await next.redo('a'), next)
    await look(await next.undo('a'), next)
    await look(await next.redo('a'), next)
    await look(await next.redo('a'), next)
    expect(await next.redo('a')).toBe(false)
    expect(seen).toEqual(['two', 'one', 'two', 'one', 'two', 'three'])
  })

  it('of nothing do nothing', async () => {
    const { storage, checkpointer } = await tabs()()
    expect(await storage.undo('a')).toBe(false)
    expect(await storage.redo('a')).toBe(false)
    expect(await all(checkpointer.threads())).toEqual([])
  })

  it('what is set after an undo is a branch: no redo, and nothing is lost', async () => {
    const { storage } = await withThree()
    await storage.undo('a')
    await storage.setItem('a', 'other')
    await storage.flush()
    expect(await storage.redo('a')).toBe(false)
    expect(await storage.undo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('two')
    expect(await storage.undo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('one')
    expect(await storage.redo('a')).toBe(true)
    expect(await storage.redo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('other')
    const values = (await all(storage.history('a', { states: true }))).map(({ state }) => state)
    expect(values).toEqual(expect.arrayContaining(['one', 'two', 'three', 'other']))
  })

  it('show in the history where they lead', async () => {
    const { storage } = await withThree()
    await storage.undo('a')
    await storage.redo('a')
    const infos = await all(storage.history('a', { order: 'oldest' }))
    expect(infos.map(({ source }) => source)).toEqual([undefined, undefined, undefined, 'undo', 'redo'])
    const [, two, three, undo, redo] = infos
    expect(undo?.parentId).toBe(two?.id)
    expect(redo?.parentId).toBe(three?.id)
  })

  it('count what is not written yet', async () => {
    const { storage } = await withThree({ every: 60_000 })
    await storage.setItem('a', 'four')
    expect(await storage.undo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('three')
    expect(await storage.redo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('four')
  })

  it('the same value set again, as by a store that is told of it, leaves the redo', async () => {
    const { storage } = await withThree()
    await storage.undo('a')
    await storage.setItem('a', (await storage.getItem('a')) ?? '')
    await storage.flush()
    expect(await storage.redo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('three')
  })

  it('stop at what was pruned', async () => {
    const { storage, checkpointer } = await withThree()
    await checkpointer.thread('a').prune({ keepLast: 2 })
    expect(await storage.undo('a')).toBe(true)
    expect(await storage.undo('a')).toBe(false)
    expect(await storage.getItem('a')).toBe('two')
  })

  it('are refused when another tab was first', async () => {
    const { storage, open } = await withThree()
    const other = (await open()).storage
    const ends = await Promise.allSettled([storage.undo('a'), other.undo('a')])
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'CONFLICT' })
      else expect(end.value).toBe(true)
  })
})

describe('a removal', () => {
  it('is kept in the history, and undone', async () => {
    const { storage } = await withThree({ every: 60_000 })
    await storage.setItem('a', 'four')
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeNull()
    const values = (await all(storage.history('a', { states: true }))).map(({ state }) => state)
    expect(values).toEqual([null, 'four', 'three', 'two', 'one'])
    expect(await storage.undo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('four')
    expect(await storage.redo('a')).toBe(true)
    expect(await storage.getItem('a')).toBeNull()
  })

  it('of what was never set is no change, though nobody has looked', async () => {
    const { storage, checkpointer } = await tabs()(NOW)
    await storage.removeItem('a')
    expect(await all(checkpointer.threads())).toEqual([])
    await storage.setItem('a', 'one')
    await storage.flush()
    expect(await storage.undo('a')).toBe(false)
    expect(await storage.getItem('a')).toBe('one')
  })

  it('of what another tab has removed is none either', async () => {
    const { storage, open } = await withThree()
    await storage.removeItem('a')
    const other = (await open()).storage
    await other.removeItem('a')
    expect(await other.undo('a')).toBe(true)
    expect(await other.getItem('a')).toBe('three')
  })

  it('of what was not read here is one', async () => {
    const { open } = await withThree()
    const { storage } = await open()
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeNull()
    expect(await storage.undo('a')).toBe(true)
    expect(await storage.getItem('a')).toBe('three')
  })

  it('does not take what is set right after it', async () => {
    for (const onRemove of ['keep', 'delete'] as const) {
      const { storage, open } = await withThree({ every: 60_000, onRemove })
      await Promise.all([storage.removeItem('a'), storage.setItem('a', 'new')])
      await storage.flush()
      expect(await (await open()).storage.getItem('a')).toBe('new')
    }
  })

  it("with onRemove: 'delete' takes the history too", async () => {
    const { storage, checkpointer } = await withThree({ onRemove: 'delete' })
    await storage.removeItem('a')
    expect(await storage.getItem('a')).toBeNull()
    expect(await storage.undo('a')).toBe(false)
    expect(await all(checkpointer.threads())).toEqual([])
  })
})

describe('a fork', () => {
  it('begins with what the item is, or was, and goes on by itself', async () => {
    const { storage } = await withThree()
    const [, two] = await all(storage.history('a'))
    await storage.fork('a', 'now')
    await storage.fork('a', 'then', two?.seq)
    expect(await storage.getItem('now')).toBe('three')
    expect(await storage.getItem('then')).toBe('two')
    await storage.setItem('then', 'other')
    await storage.flush()
    expect(await storage.undo('then')).toBe(true)
    expect(await storage.undo('then')).toBe(true)
    expect(await storage.getItem('then')).toBe('one')
    expect(await storage.getItem('a')).toBe('three')
    expect(await storage.getItem('later')).toBeNull()
    await storage.fork('a', 'later')
    await vi.waitFor(async () => expect(await storage.getItem('later')).toBe('three'))
    await storage.removeItem('later')
    expect(await storage.getItem('later')).toBeNull()
    await expect(storage.fork('a', 'now')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

describe('two tabs', () => {
  it('hear of what the other sets, removes and undoes, and not of what they set themselves', async () => {
    const { storage, open } = await withThree()
    const other = (await open()).storage
    expect(await other.getItem('a')).toBe('three')
    const here: string[] = []
    const there: string[] = []
    storage.subscribe((name) => void here.push(name))
    const stop = other.subscribe((name) => void there.push(name))
    await storage.setItem('a', 'four')
    await storage.flush()
    await vi.waitFor(() => expect(there).toEqual(['a']))
    expect(await other.getItem('a')).toBe('four')
    await storage.removeItem('a')
    await vi.waitFor(() => expect(there).toEqual(['a', 'a']))
    expect(await other.getItem('a')).toBeNull()
    expect(here).toEqual([])
    await storage.undo('a')
    await vi.waitFor(() => expect([here.length, there.length]).toEqual([1, 3]))
    stop()
    await storage.redo('a')
    await vi.waitFor(() => expect(here.length).toBe(2))
    expect(there).toHaveLength(3)
  })

  it('that set the same item: the last one counts, the other is in the history, and who did not look is told', async () => {
    const { storage, open, warnings } = await withThree()
    const second = await open()
    await second.storage.getItem('a')
    await second.storage.setItem('a', 'theirs')
    await second.storage.flush()
    await storage.setItem('a', 'mine')
    await storage.flush()
    expect(await (await open()).storage.getItem('a')).toBe('mine')
    const values = (await all(storage.history('a', { states: true, limit: 2 }))).map(({ state }) => state)
    expect(values).toEqual(['mine', 'theirs'])
    expect(warnings).toMatchObject([{ code: 'CONFLICT', thread: 'a' }])
    expect(second.warnings).toEqual([])
    // Who has looked is not told.
    expect(await second.storage.getItem('a')).toBe('mine')
    await second.storage.setItem('a', 'theirs again')
    await second.storage.flush()
    expect(second.warnings).toEqual([])
  })

  it('may set what they had set before: it is not taken for unchanged', async () => {
    const { storage, open } = await withThree()
    const { storage: other } = await open()
    const heard = vi.fn()
    storage.subscribe(heard)
    await other.setItem('a', 'theirs')
    await other.flush()
    await vi.waitFor(() => expect(heard).toHaveBeenCalled())
    await storage.setItem('a', 'three')
    await storage.flush()
    expect(await (await open()).storage.getItem('a')).toBe('three')
  })
})
