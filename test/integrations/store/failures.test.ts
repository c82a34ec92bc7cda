import { forkpointStorage } from 'forkpoint/store'
import { describe, expect, it, vi } from 'vitest'
import { fullable } from '../../support/fullable.ts'
import { all, tabs } from './ground.ts'

describe('what could not be written', () => {
  it('is told once, rejects one call, is kept, and is written when that can be done', async () => {
    const disk = fullable()
    const { storage, errors } = await tabs({ storage: disk.storage })()
    await storage.setItem('a', 1)
    await storage.flush()
    disk.fill()
    await storage.setItem('a', 2)
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'QUOTA' }]))
    await expect(storage.setItem('a', 3)).rejects.toMatchObject({ code: 'QUOTA' })
    await storage.setItem('a', 4)
    expect(await storage.getItem('a')).toBe(4)
    await expect(storage.flush()).rejects.toMatchObject({ code: 'QUOTA' })
    expect(errors).toHaveLength(1)
    disk.empty()
    await storage.flush()
    const values = (await all(storage.history('a', { states: true }))).map(({ state }) => state)
    expect(values).toEqual([4, 1])
  })

  it('is tried again after a while, without another call', async () => {
    const disk = fullable()
    const open = tabs({ storage: disk.storage })
    const { storage, errors } = await open()
    disk.fill()
    await storage.setItem('a', 1)
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    disk.empty()
    await vi.waitFor(async () => expect(await (await open()).storage.getItem('a')).toBe(1), 5_000)
  })

  it('of an erasure is done with what is set behind it', async () => {
    const disk = fullable()
    const { storage } = await tabs({ storage: disk.storage })({ onRemove: 'delete' })
    await storage.setItem('a', 'secret')
    await storage.flush()
    disk.fill()
    await expect(storage.removeItem('a')).rejects.toMatchObject({ code: 'QUOTA' })
    await expect(storage.removeItem('a')).rejects.toMatchObject({ code: 'QUOTA' })
    disk.empty()
    await storage.setItem('a', 'new')
    await storage.flush()
    const values = (await all(storage.history('a', { states: true }))).map(({ state }) => state)
    expect(values).toEqual(['new'])
  })

  it('because it never can be is told, and what is set next takes its place', async () => {
    class Mine {
      n = 1
    }
    const { storage, errors } = await tabs()()
    await storage.setItem('a', { mine: new Mine() })
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'INVALID', path: '$.mine' }]))
    await expect(storage.setItem('a', { n: 1 })).rejects.toMatchObject({ code: 'INVALID' })
    await storage.flush()
    expect(await storage.getItem('a')).toEqual({ n: 1 })
  })

  it('because the checkpointer was closed is told', async () => {
    const { storage, checkpointer, errors } = await tabs()({ every: 20 })
    await checkpointer.close()
    await storage.setItem('a', 1)
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'CLOSED' }]))
    await expect(storage.flush()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('is told of a read as well', async () => {
    const { storage, checkpointer, errors } = await tabs()()
    await checkpointer.close()
    await expect(storage.getItem('a')).rejects.toMatchObject({ code: 'CLOSED' })
    expect(errors).toMatchObject([{ code: 'CLOSED' }])
  })

  it('what the getter of a value throws is told', async () => {
    const { storage, errors } = await tabs()()
    const value = {
      get n(): number {
        throw new Error('mine')
      },
    }
    await expect(storage.setItem('a', value)).rejects.toThrow('mine')
    expect(errors).toMatchObject([{ code: 'FAILED', cause: { message: 'mine' } }])
  })

  it('needs nobody who waits: it is no unhandled rejection', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { storage, checkpointer, errors } = await tabs()()
    await checkpointer.close()
    for (let n = 0; n < 3; n++) void storage.setItem('a', n)
    void storage.getItem('b')
    void storage.removeItem('a')
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1))
    await new Promise((resolve) => setTimeout(resolve, 50))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('set before it was read', () => {
  it('the read gives what was there, the value is stored behind it, and that is told', async () => {
    const open = tabs()
    const before = await open()
    await before.storage.setItem('a', 'stored')
    await before.storage.flush()
    const { storage, warnings } = await open()
    const reading = storage.getItem('a')
    await storage.setItem('a', 'initial')
    expect(await reading).toBe('stored')
    await storage.flush()
    expect(warnings).toMatchObject([{ code: 'CONFLICT', thread: 'a' }])
    expect(await storage.getItem('a')).toBe('initial')
    await storage.undo('a')
    expect(await storage.getItem('a')).toBe('stored')
  })
})

describe('options', () => {
  it.each([
    { evry: 1 },
    { every: -1 },
    { every: Number.NaN },
    { most: 0 },
    { onRemove: 'drop' },
    { onError: 1 },
  ])('that cannot be are refused: %j', async (options) => {
    const { checkpointer } = await tabs()()
    expect(() => forkpointStorage(checkpointer, options as object)).toThrow(
      expect.objectContaining({ code: 'INVALID' }),
    )
  })
})
