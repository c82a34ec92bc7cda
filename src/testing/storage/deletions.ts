import { expect } from 'vitest'
import { TABLES, type Key, type Table } from '../../storage/storage.ts'
import { commit, fill, get, keys, P, row, type Law } from './law.ts'

export function deletionLaws(law: Law): void {
  law('what is deleted is gone, and nothing else', async ({ storage }) => {
    await fill(
      storage,
      P,
      [1, 2, 3].map((seq) => row('checkpoints', ['a', seq])),
    )
    await commit(storage, P, { deletes: [{ table: 'checkpoints', key: ['a', 2] }] })
    expect(await keys(storage, P, 'checkpoints')).toEqual([
      ['a', 1],
      ['a', 3],
    ])
  })

  law('to delete what is not there is no error', async ({ storage }) => {
    await commit(storage, P, { puts: [row('meta', ['a', ''])] })
    await commit(storage, P, {
      deletes: [
        { table: 'meta', key: ['b', ''] },
        { table: 'checkpoints', key: ['a', 1] },
      ],
      deleteRanges: [{ table: 'parts', from: ['a'], to: ['b'] }],
    })
    await commit(storage, 'nowhere', { deletes: [{ table: 'meta', key: ['a', ''] }] })
    expect(await keys(storage, P, 'meta')).toEqual([['a', '']])
  })

  law('a deleted range has its start and not its end', async ({ storage }) => {
    await fill(
      storage,
      P,
      [8, 9, 10, 11].map((seq) => row('checkpoints', ['a', seq])),
    )
    await commit(storage, P, { deleteRanges: [{ table: 'checkpoints', from: ['a', 9], to: ['a', 11] }] })
    expect((await keys(storage, P, 'checkpoints')).map((key) => key[1])).toEqual([8, 11])
  })

  law('a deleted range touches no other lane, table or partition', async ({ storage }) => {
    const lanes = ['a', 'a!', 'aa', 'b', 'B']
    const puts = lanes.flatMap((lane) => [
      row('checkpoints', [lane, 1]),
      row('parts', [lane, 1, '', 0]),
      row('writes', [lane, 1, 'task', 0]),
    ])
    for (const partition of [P, 'p!', 'pp', 'q']) await fill(storage, partition, puts)
    await commit(storage, P, { deleteRanges: [{ table: 'checkpoints', from: ['a', 0], to: ['a', 9] }] })
    const lanesIn = async (partition: string, table: Table): Promise<unknown[]> =>
      (await keys(storage, partition, table)).map(([lane]) => lane)
    expect(await lanesIn(P, 'checkpoints')).toEqual(lanes.filter((lane) => lane !== 'a').toSorted())
    expect(await lanesIn(P, 'parts')).toEqual(lanes.toSorted())
    expect(await lanesIn(P, 'writes')).toEqual(lanes.toSorted())
    for (const partition of ['p!', 'pp', 'q'])
      expect(await lanesIn(partition, 'checkpoints')).toEqual(lanes.toSorted())
  })

  law(
    'a range of any number of rows goes in one commit, and what the same commit puts there stays',
    async (bench) => {
      const { storage } = bench
      const seqs = Array.from({ length: 3000 }, (_, i) => i)
      await fill(
        storage,
        P,
        seqs.map((seq) => row('checkpoints', ['a', seq], '', { alias: ['a', `id${seq}`] })),
      )
      await commit(storage, P, {
        deleteRanges: [{ table: 'checkpoints', from: ['a', 10], to: ['b'] }],
        puts: [
          row('checkpoints', ['a', 20], 'new', { alias: ['a', 'id20'] }),
          row('checkpoints', ['a', 4000], 'new', { alias: ['a', 'id999'] }),
        ],
      })
      const left = [...seqs.slice(0, 10), 20, 4000]
      expect((await keys(storage, P, 'checkpoints')).map((key) => key[1])).toEqual(left)
      const byId = await storage.read(
        P,
        ['id9', 'id20', 'id999', 'id1000'].map((id) => ({ table: 'checkpoints', alias: ['a', id] }) as const),
      )
      expect(byId.map((rows) => rows.map(({ key }) => key[1]))).toEqual([[9], [20], [4000], []])
    },
  )

  law('an empty or inverted range deletes nothing, and is no error', async ({ storage }) => {
    await fill(
      storage,
      P,
      [1, 2, 3].map((seq) => row('checkpoints', ['a', seq])),
    )
    await commit(storage, P, {
      deleteRanges: [
        { table: 'checkpoints', from: ['a', 2], to: ['a', 2] },
        { table: 'checkpoints', from: ['a', 3], to: ['a', 1] },
        { table: 'checkpoints', from: ['b'], to: ['a'] },
      ],
    })
    expect(await keys(storage, P, 'checkpoints')).toHaveLength(3)
  })

  law('ranges are deleted before rows are put', async ({ storage }) => {
    await fill(
      storage,
      P,
      [1, 2, 3].map((seq) => row('checkpoints', ['a', seq], 'old')),
    )
    await commit(storage, P, {
      deleteRanges: [{ table: 'checkpoints', from: ['a'], to: ['b'] }],
      puts: [row('checkpoints', ['a', 2], 'new'), row('checkpoints', ['a', 4], 'new')],
    })
    expect((await keys(storage, P, 'checkpoints')).map((key) => key[1])).toEqual([2, 4])
    expect((await get(storage, P, 'checkpoints', ['a', 2]))?.head).toBe('new')
  })

  law('rows are deleted before rows are put', async ({ storage }) => {
    await commit(storage, P, { puts: [row('meta', ['a', ''], 'old')] })
    await commit(storage, P, {
      deletes: [{ table: 'meta', key: ['a', ''] }],
      puts: [row('meta', ['a', ''], 'new')],
    })
    expect((await get(storage, P, 'meta', ['a', '']))?.head).toBe('new')
  })

  law('rows of every table are deleted, one by one and by range', async ({ storage }) => {
    const example: Record<Table, Key> = {
      threads: ['t', ''],
      checkpoints: ['t', 1],
      parts: ['t', 1, '', 0],
      writes: ['t', 1, 'task', 0],
      meta: ['t', ''],
    }
    const puts = TABLES.map((table) => row(table, example[table]))
    await commit(storage, P, { puts })
    await commit(storage, P, { deletes: TABLES.map((table) => ({ table, key: example[table] })) })
    for (const table of TABLES) expect(await keys(storage, P, table)).toEqual([])
    await commit(storage, P, { puts })
    await commit(storage, P, {
      deleteRanges: TABLES.map((table) => ({ table, from: ['t'], to: ['u'] })),
    })
    for (const table of TABLES) expect(await keys(storage, P, table)).toEqual([])
  })
}
