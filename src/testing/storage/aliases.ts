import { expect } from 'vitest'
import { checkpointAlias } from '../../storage/keys.ts'
import type { Key, Put, Row, Storage } from '../../storage/storage.ts'
import { commit, get, P, row, type Law } from './law.ts'

export function aliasLaws(law: Law): void {
  law('an alias finds its row, in its lane and partition alone', async ({ storage }) => {
    const version = await commit(storage, P, {
      puts: [aliased(1, 'id', 'here'), row('checkpoints', ['b', 1], 'lane', { alias: ['b', 'id'] })],
    })
    await commit(storage, 'q', { puts: [aliased(1, 'id', 'elsewhere')] })
    expect(await find(storage, ['a', 'id'])).toStrictEqual({ key: ['a', 1], head: 'here', version })
    expect((await find(storage, ['b', 'id']))?.head).toBe('lane')
    expect((await find(storage, ['a', 'id'], 'q'))?.head).toBe('elsewhere')
    expect(await find(storage, ['a', 'i'])).toBeUndefined()
    expect(await find(storage, ['c', 'id'])).toBeUndefined()
  })

  law('ids that differ in anything are different aliases', async ({ storage }) => {
    const ids = ['id', 'ID', ' id', 'id ', 'i', 'íd', 'i\u0301d', "i'd", '"id"', '1', '01', '💡', '__proto__']
    const puts = ids.map((id, i) => row('checkpoints', ['a', i], id, { alias: checkpointAlias('a', id) }))
    await commit(storage, P, { puts })
    for (const id of ids) expect((await find(storage, checkpointAlias('a', id)))?.head).toBe(id)
  })

  law('an alias follows what is put under the same key', async ({ storage }) => {
    await commit(storage, P, { puts: [aliased(1, 'first', 'old')] })
    await commit(storage, P, { puts: [aliased(1, 'first', 'new')] })
    expect((await find(storage, ['a', 'first']))?.head).toBe('new')
    await commit(storage, P, { puts: [aliased(1, 'second', 'newer')] })
    expect(await find(storage, ['a', 'first'])).toBeUndefined()
    expect((await find(storage, ['a', 'second']))?.head).toBe('newer')
    await commit(storage, P, { puts: [row('checkpoints', ['a', 1])] })
    expect(await find(storage, ['a', 'second'])).toBeUndefined()
  })

  law('an alias is gone with its row', async ({ storage }) => {
    await commit(storage, P, { puts: [aliased(1, 'one'), aliased(2, 'two'), aliased(3, 'three')] })
    await commit(storage, P, {
      deletes: [{ table: 'checkpoints', key: ['a', 1] }],
      deleteRanges: [{ table: 'checkpoints', from: ['a', 2], to: ['a', 3] }],
    })
    expect(await find(storage, ['a', 'one'])).toBeUndefined()
    expect(await find(storage, ['a', 'two'])).toBeUndefined()
    expect((await find(storage, ['a', 'three']))?.key).toEqual(['a', 3])
  })

  law('an alias that another row has conflicts, and nothing of the batch stays', async ({ storage }) => {
    await commit(storage, P, { puts: [aliased(1, 'id', 'owner')] })
    const beside = [row('meta', ['family', '']), row('writes', ['a', 1, 'task', 0])]
    for (let at = 0; at <= beside.length; at++) {
      const puts = beside.toSpliced(at, 0, aliased(2, 'id', 'late'))
      expect(await storage.commit(P, { puts })).toEqual({ ok: false })
      expect(await get(storage, P, 'writes', ['a', 1, 'task', 0])).toBeUndefined()
    }
    expect((await find(storage, ['a', 'id']))?.head).toBe('owner')
    expect(await get(storage, P, 'checkpoints', ['a', 2])).toBeUndefined()
    expect(await get(storage, P, 'meta', ['family', ''])).toBeUndefined()
  })

  law('an alias is free once its row is deleted, by the same batch too', async ({ storage }) => {
    await commit(storage, P, { puts: [aliased(1, 'id')] })
    await commit(storage, P, {
      deletes: [{ table: 'checkpoints', key: ['a', 1] }],
      puts: [aliased(2, 'id')],
    })
    expect((await find(storage, ['a', 'id']))?.key).toEqual(['a', 2])
    await commit(storage, P, {
      deleteRanges: [{ table: 'checkpoints', from: ['a'], to: ['b'] }],
      puts: [aliased(3, 'id')],
    })
    expect((await find(storage, ['a', 'id']))?.key).toEqual(['a', 3])
  })
}

const aliased = (seq: number, id: string, head = ''): Put =>
  row('checkpoints', ['a', seq], head, { alias: ['a', id] })

async function find(storage: Storage, alias: Key, partition = P): Promise<Row | undefined> {
  const [rows] = await storage.read(partition, [{ table: 'checkpoints', alias }])
  expect(rows?.length).toBeLessThanOrEqual(1)
  return rows?.[0]
}
