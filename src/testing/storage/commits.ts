import { expect } from 'vitest'
import type { Check, Key, Storage, Table } from '../../storage/storage.ts'
import { commit, get, keys, P, row, scan, type Law } from './law.ts'

export function commitLaws(law: Law): void {
  law('a check holds when the row has that version', async ({ storage }) => {
    const version = await commit(storage, P, { puts: [row('threads', ['t', ''], '1')] })
    expect(await tried(storage, { table: 'threads', key: ['t', ''], version })).toBe(true)
  })

  law('a check fails when the row was put since', async ({ storage }) => {
    const version = await commit(storage, P, { puts: [row('threads', ['t', ''], '1')] })
    await commit(storage, P, { puts: [row('threads', ['t', ''], '2')] })
    expect(await tried(storage, { table: 'threads', key: ['t', ''], version })).toBe(false)
  })

  law('a check for a version fails when there is no row, or no longer', async ({ storage }) => {
    const version = await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    expect(await tried(storage, { table: 'meta', key: ['other', ''], version })).toBe(false)
    await commit(storage, P, { deletes: [{ table: 'meta', key: ['family', ''] }] })
    expect(await tried(storage, { table: 'meta', key: ['family', ''], version })).toBe(false)
  })

  law('a check for absence holds when there is no row, or no longer', async ({ storage }) => {
    const check = { table: 'meta', key: ['family', ''], version: undefined } as const
    expect(await tried(storage, check)).toBe(true)
    await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    await commit(storage, P, { deletes: [{ table: 'meta', key: ['family', ''] }] })
    expect(await tried(storage, check)).toBe(true)
  })

  law('a check for absence fails when there is a row', async ({ storage }) => {
    await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    expect(await tried(storage, { table: 'meta', key: ['family', ''], version: undefined })).toBe(false)
  })

  law('a version that was never given out fails', async ({ storage }) => {
    await commit(storage, P, { puts: [row('meta', ['family', ''])] })
    for (const version of ['', '0', 'x', "' OR 1=1 --"])
      expect(await tried(storage, { table: 'meta', key: ['family', ''], version })).toBe(false)
  })

  law('every check counts, in every table', async ({ storage }) => {
    const rows: [Table, Key][] = [
      ['threads', ['t', '']],
      ['checkpoints', ['a', 1]],
      ['parts', ['a', 1, '', 0]],
      ['writes', ['a', 1, 'task', 0]],
      ['meta', ['family', '']],
    ]
    const version = await commit(storage, P, { puts: rows.map(([table, key]) => row(table, key)) })
    const checks = rows.map(([table, key]) => ({ table, key, version }))
    expect(await tried(storage, ...checks)).toBe(true)
    for (const wrong of checks.keys()) {
      const one = checks.map((check, i) => (i === wrong ? { ...check, version: undefined } : check))
      expect(await tried(storage, ...one), `check ${wrong} of ${checks.length}`).toBe(false)
    }
  })

  law('checks are of what was there before the batch', async ({ storage }) => {
    const key = ['t', '']
    const absent = { table: 'threads', key, version: undefined } as const
    const version = await commit(storage, P, { checks: [absent], puts: [row('threads', key, '1')] })
    const there = { table: 'threads', key, version } as const
    await commit(storage, P, {
      checks: [there],
      deletes: [{ table: 'threads', key }],
      puts: [row('threads', key, '2')],
    })
    expect((await get(storage, P, 'threads', key))?.head).toBe('2')
  })

  law('a refused batch leaves everything as it was', async ({ storage }) => {
    const seqs = [1, 2, 3, 4]
    await commit(storage, P, {
      puts: [
        row('threads', ['t', ''], 'old', { rank: 1 }),
        ...seqs.map((seq) => row('checkpoints', ['a', seq], 'old', { alias: ['a', `id${seq}`] })),
      ],
    })
    const everything = async (): Promise<unknown> => [
      await scan(storage, P, 'threads', { from: [], to: ['~'] }),
      await scan(storage, P, 'checkpoints', { from: [], to: ['~'] }),
      await storage.read(
        P,
        seqs.map((seq) => ({ table: 'checkpoints', alias: ['a', `id${seq}`] }) as const),
      ),
      await storage.list({ limit: 10 }),
      await storage.partitions({ limit: 10 }),
    ]
    const before = await everything()
    const result = await storage.commit(P, {
      checks: [{ table: 'meta', key: ['family', ''], version: 'stale' }],
      deleteRanges: [{ table: 'checkpoints', from: ['a', 1], to: ['a', 3] }],
      deletes: [{ table: 'checkpoints', key: ['a', 4] }],
      puts: [
        row('threads', ['t', ''], 'new', { rank: 2 }),
        row('threads', ['u', ''], 'new', { rank: 3 }),
        row('checkpoints', ['a', 3], 'new', { alias: ['a', 'other'] }),
        row('meta', ['family', ''], 'new'),
      ],
    })
    expect(result).toEqual({ ok: false })
    expect(await everything()).toEqual(before)
    expect(await storage.locate(['u', ''])).toBeUndefined()
    expect(await keys(storage, P, 'meta')).toEqual([])
  })

  law('a batch of checks alone says whether they hold, and changes nothing', async ({ storage }) => {
    const version = await commit(storage, P, { puts: [row('meta', ['family', ''], 'm')] })
    const check = { table: 'meta', key: ['family', ''], version } as const
    expect((await storage.commit(P, { checks: [check] })).ok).toBe(true)
    expect((await storage.commit(P, { checks: [{ ...check, version: undefined }] })).ok).toBe(false)
    expect(await get(storage, P, 'meta', ['family', ''])).toStrictEqual({
      key: ['family', ''],
      head: 'm',
      version,
    })
  })

  law('an empty batch is carried out, and leaves no partition behind', async ({ storage }) => {
    expect((await storage.commit(P, {})).ok).toBe(true)
    expect((await storage.commit(P, { checks: [], puts: [], deletes: [], deleteRanges: [] })).ok).toBe(true)
    expect(await storage.partitions({ limit: 10 })).toEqual([])
  })
}

/** Whether a batch with these checks goes through; that its put is then there, and else is not. */
async function tried(storage: Storage, ...checks: Check[]): Promise<boolean> {
  const key = ['tried', 1, 'task', 1]
  await commit(storage, P, { deletes: [{ table: 'writes', key }] })
  const { ok } = await storage.commit(P, { checks, puts: [row('writes', key)] })
  expect((await get(storage, P, 'writes', key)) !== undefined).toBe(ok)
  return ok
}
