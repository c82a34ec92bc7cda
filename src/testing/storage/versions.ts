import { expect } from 'vitest'
import { commit, get, P, row, scan, type Law } from './law.ts'

export function versionLaws(law: Law): void {
  law('a commit tells the version that every row it put now has', async ({ storage }) => {
    const version = await commit(storage, P, {
      puts: [
        row('threads', ['t', ''], '', { rank: 1 }),
        row('checkpoints', ['a', 1], '', { alias: ['a', 'id'] }),
        row('meta', ['family', '']),
      ],
    })
    const found = await storage.read(P, [
      { table: 'threads', keys: [['t', '']] },
      { table: 'checkpoints', alias: ['a', 'id'] },
      { table: 'checkpoints', from: ['a'], to: ['b'] },
      { table: 'checkpoints', from: ['a'], to: ['b'], reverse: true, limit: 1 },
      { table: 'meta', keys: [['family', '']] },
    ])
    expect(found.map((rows) => rows.map((each) => each.version))).toEqual(Array(5).fill([version]))
    expect((await storage.locate(['t', '']))?.row.version).toBe(version)
    expect((await storage.list({ limit: 1 }))[0]?.version).toBe(version)
  })

  law('a version changes with every put, of equal content too', async ({ storage }) => {
    const seen = new Set<string>()
    for (let i = 0; i < 20; i++)
      seen.add(await commit(storage, P, { puts: [row('meta', ['family', ''], 'same')] }))
    expect(seen.size).toBe(20)
  })

  law('a version does not come back when a row is deleted and put again', async ({ storage }) => {
    const seen = new Set<string>()
    for (let i = 0; i < 10; i++) {
      seen.add(await commit(storage, P, { puts: [row('meta', ['family', ''], 'same')] }))
      await commit(storage, P, { deletes: [{ table: 'meta', key: ['family', ''] }] })
    }
    for (let i = 0; i < 10; i++) {
      const deleteRanges = [{ table: 'meta', from: ['f'], to: ['g'] }] as const
      seen.add(await commit(storage, P, { deleteRanges, puts: [row('meta', ['family', ''], 'same')] }))
    }
    expect(seen.size).toBe(20)
  })

  law('a version does not come back after close and reopen', async ({ storage, reopen }) => {
    const put = { puts: [row('meta', ['family', ''], 'same')] }
    const seen = [await commit(storage, P, put), await commit(storage, P, put)]
    await storage.close()
    const again = await reopen()
    seen.push(await commit(again, P, put), await commit(again, P, put))
    expect(new Set(seen).size).toBe(4)
  })

  law('two connections give out no version twice', async ({ storage, another }) => {
    const both = [storage, await another()]
    const put = { puts: [row('meta', ['family', ''], 'same')] }
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, i) => commit(both[i % 2] ?? storage, P, put)),
    )
    expect(new Set(seen).size).toBe(20)
  })

  law('a row that a batch does not put keeps its version', async ({ storage }) => {
    const first = await commit(storage, P, { puts: [row('meta', ['a', '']), row('meta', ['b', ''])] })
    const second = await commit(storage, P, {
      checks: [{ table: 'meta', key: ['a', ''], version: first }],
      puts: [row('meta', ['b', ''])],
    })
    expect(second).not.toBe(first)
    expect((await scan(storage, P, 'meta', { from: [], to: ['z'] })).map((each) => each.version)).toEqual([
      first,
      second,
    ])
  })

  law('a version of one row does not hold for another', async ({ storage }) => {
    const first = await commit(storage, P, { puts: [row('meta', ['a', ''])] })
    await commit(storage, P, { puts: [row('meta', ['b', ''])] })
    const checks = [{ table: 'meta', key: ['b', ''], version: first }] as const
    expect(await storage.commit(P, { checks, puts: [row('meta', ['c', ''])] })).toEqual({ ok: false })
    expect(await get(storage, P, 'meta', ['c', ''])).toBeUndefined()
  })
}
