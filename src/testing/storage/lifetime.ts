import { expect } from 'vitest'
import type { Storage } from '../../storage/storage.ts'
import { CheckpointerError } from '../../errors.ts'
import { bytes, commit, get, keys, P, refuses, row, sameBytes, type Law } from './law.ts'

export function lifetimeLaws(law: Law): void {
  law('what was acknowledged is there after close and reopen', async ({ storage, reopen }) => {
    await commit(storage, 'q', { puts: [row('checkpoints', ['a', 1], 'head', { alias: ['a', 'id'] })] })
    await commit(storage, P, { puts: [row('threads', ['t', ''], 'thread', { rank: 3, body: bytes(300) })] })
    const before = await everything(storage)
    await storage.close()
    const again = await reopen()
    expect(await everything(again)).toEqual(before)
    expect(sameBytes((await get(again, P, 'threads', ['t', '']))?.body, bytes(300))).toBe(true)
  })

  law('a version holds over close and reopen', async ({ storage, reopen }) => {
    const version = await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    await storage.close()
    const again = await reopen()
    const checks = [{ table: 'meta', key: ['family', ''], version }] as const
    await commit(again, P, { checks, puts: [row('meta', ['family', ''], 'next')] })
    expect(await again.commit(P, { checks, puts: [row('meta', ['family', ''])] })).toEqual({ ok: false })
  })

  law('a commit that a close overtakes is acknowledged and there, or CLOSED and not', async (bench) => {
    const { storage, reopen } = bench
    await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    const commits = Array.from({ length: 30 }, (_, i) =>
      storage.commit(P, { puts: [row('checkpoints', ['a', i], '', { body: bytes(1000) })] }).then(
        ({ ok }) => (ok ? [i] : []),
        (error: unknown) => {
          if (!CheckpointerError.is(error, 'CLOSED')) throw error
          return []
        },
      ),
    )
    await storage.close()
    const acknowledged = (await Promise.all(commits)).flat()
    const again = await reopen()
    expect((await keys(again, P, 'checkpoints')).map((key) => key[1])).toEqual(acknowledged)
  })

  law('every call after close is CLOSED, but for another close', async ({ storage }) => {
    await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    await storage.close()
    await allClosed(storage)
    await storage.close()
  })

  law('a storage that was never used can be closed', async ({ storage }) => {
    await storage.close()
    await allClosed(storage)
  })

  law('destroy leaves nothing behind', async ({ storage, keeps, reopen }) => {
    for (const name of [P, 'q', '']) {
      const puts = [row('meta', ['family', '']), row('threads', [`t${name}`, ''], '', { rank: 1 })]
      await commit(storage, name, {
        puts: [...puts, row('checkpoints', ['a', 1], '', { alias: ['a', 'id'] })],
      })
    }
    await storage.destroy()
    await isEmptyOrClosed(storage)
    await storage.close()
    if (!keeps) return
    const again = await reopen()
    expect(await everything(again)).toEqual(NOTHING)
    await commit(again, 'other', { puts: [row('threads', [`t${P}`, ''])] })
  })

  law('a storage that was never used can be destroyed', async ({ storage }) => {
    await storage.destroy()
    await isEmptyOrClosed(storage)
  })

  law('two connections see the same rows', async ({ storage, another }) => {
    const other = await another()
    const version = await commit(storage, P, { puts: [row('threads', ['t', ''], '1', { rank: 1 })] })
    expect(await everything(other)).toEqual(await everything(storage))
    const checks = [{ table: 'threads', key: ['t', ''], version }] as const
    await commit(other, P, { checks, puts: [row('threads', ['t', ''], '2', { rank: 2 })] })
    expect((await get(storage, P, 'threads', ['t', '']))?.head).toBe('2')
  })

  law('to close one connection leaves the other open', async ({ storage, another }) => {
    const other = await another()
    await commit(storage, P, { puts: [row('meta', ['family', ''], '1')] })
    expect((await get(other, P, 'meta', ['family', '']))?.head).toBe('1')
    await storage.close()
    await commit(other, P, { puts: [row('meta', ['family', ''], '2')] })
    expect((await get(other, P, 'meta', ['family', '']))?.head).toBe('2')
  })

  law('destroy goes on beside an open connection, which then sees nothing or is CLOSED', async (bench) => {
    const { storage, another } = bench
    const other = await another()
    await commit(other, P, { puts: [row('meta', ['family', ''])] })
    await storage.destroy()
    await isEmptyOrClosed(other)
  })
}

const NOTHING = [[[], [], [], [], []], [], [], [], undefined]

async function everything(storage: Storage): Promise<unknown[]> {
  const tables = ['threads', 'checkpoints', 'parts', 'writes', 'meta'] as const
  return [
    await storage.read(
      P,
      tables.map((table) => ({ table, from: [], to: ['~'] }) as const),
    ),
    (await storage.read('q', [{ table: 'checkpoints', alias: ['a', 'id'] }])).flat(),
    await storage.list({ limit: 100 }),
    await storage.partitions({ limit: 100 }),
    await storage.locate(['t', '']),
  ]
}

async function allClosed(storage: Storage): Promise<void> {
  await refuses(storage.read(P, [{ table: 'meta', keys: [['family', '']] }]), 'CLOSED')
  await refuses(storage.commit(P, { puts: [row('meta', ['family', ''])] }), 'CLOSED')
  await refuses(storage.locate(['t', '']), 'CLOSED')
  await refuses(storage.list({ limit: 1 }), 'CLOSED')
  await refuses(storage.partitions({ limit: 1 }), 'CLOSED')
  await refuses(storage.destroy(), 'CLOSED')
}

/** What a destroyed storage is for, each adapter may say; old rows it must not show. */
async function isEmptyOrClosed(storage: Storage): Promise<void> {
  const found = await everything(storage).catch((error: unknown) => {
    if (!CheckpointerError.is(error, 'CLOSED')) throw error
    return NOTHING
  })
  expect(found).toEqual(NOTHING)
}
