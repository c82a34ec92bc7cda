import { expect } from 'vitest'
import { escapeId } from '../../storage/keys.ts'
import { TABLES, type Key, type Table } from '../../storage/storage.ts'
import { commit, get, keys, P, row, scan, type Law } from './law.ts'

const key = ['t', '']

export function partitionLaws(law: Law): void {
  law('partitions are apart: the same keys in two are different rows', async ({ storage }) => {
    const first = await commit(storage, 'p', {
      puts: [row('checkpoints', ['a', 1], 'p', { alias: ['a', 'i'] })],
    })
    await commit(storage, 'q', { puts: [row('checkpoints', ['a', 1], 'q', { alias: ['a', 'i'] })] })
    expect((await get(storage, 'p', 'checkpoints', ['a', 1]))?.head).toBe('p')
    const checks = [{ table: 'checkpoints', key: ['a', 1], version: first }] as const
    expect((await storage.commit('q', { checks })).ok).toBe(false)
    await commit(storage, 'p', { checks, deletes: [{ table: 'checkpoints', key: ['a', 1] }] })
    expect((await get(storage, 'q', 'checkpoints', ['a', 1]))?.head).toBe('q')
  })

  law('partitions with names that begin alike, or look like anything, are apart', async ({ storage }) => {
    const ids = [
      'a',
      'A',
      'a-',
      'aa',
      'a/b',
      'a:b',
      'a%',
      "a'",
      'ä',
      '💡',
      '__proto__',
      'constructor',
      '0',
      '',
    ]
    const names = ids.map(escapeId)
    for (const name of names) {
      const puts = [
        row('meta', ['family', ''], name),
        row('checkpoints', ['a', 1], name, { alias: ['a', 'id'] }),
      ]
      await commit(storage, name, { puts })
    }
    for (const name of names) {
      const found = await storage.read(name, [
        { table: 'meta', from: [], to: ['~'] },
        { table: 'checkpoints', alias: ['a', 'id'] },
        { table: 'checkpoints', from: [], to: ['~'], reverse: true, limit: 5 },
      ])
      expect(found.map((rows) => rows.map(({ head }) => head))).toEqual([[name], [name], [name]])
    }
  })

  law('a row of threads lives in one partition: a put into a second one conflicts', async ({ storage }) => {
    await commit(storage, 'p', { puts: [row('threads', key, 'p')] })
    for (const other of ['a', 'q']) {
      const beside = [row('meta', ['family', '']), row('checkpoints', ['a', 1])]
      for (let at = 0; at <= beside.length; at++) {
        const puts = beside.toSpliced(at, 0, row('threads', key, other))
        const checks = [{ table: 'meta', key: ['absent', ''], version: undefined }] as const
        expect(await storage.commit(other, { puts })).toEqual({ ok: false })
        expect(await storage.commit(other, { puts, checks })).toEqual({ ok: false })
        for (const table of TABLES) expect(await keys(storage, other, table)).toEqual([])
      }
    }
    expect(await scan(storage, 'p', 'threads', { from: [], to: ['~'] })).toHaveLength(1)
    expect((await storage.locate(key))?.partition).toBe('p')
    expect((await storage.locate(key))?.row.head).toBe('p')
  })

  law('a row of threads is put again where it lives, and others beside it', async ({ storage }) => {
    await commit(storage, 'p', { puts: [row('threads', key, '1')] })
    await commit(storage, 'p', { puts: [row('threads', key, '2')] })
    await commit(storage, 'q', { puts: [row('threads', ['u', '']), row('threads', ['t', 'other'])] })
    expect((await storage.locate(key))?.row.head).toBe('2')
    expect((await storage.locate(['t', 'other']))?.partition).toBe('q')
  })

  law('a row of threads that was deleted may live elsewhere, there and back', async ({ storage }) => {
    const put = { puts: [row('threads', key)] }
    await commit(storage, 'p', put)
    await commit(storage, 'p', { deletes: [{ table: 'threads', key }] })
    await commit(storage, 'q', put)
    expect((await storage.commit('p', put)).ok).toBe(false)
    await commit(storage, 'q', { deleteRanges: [{ table: 'threads', from: ['t'], to: ['t', '~'] }] })
    await commit(storage, 'p', put)
    expect((await storage.locate(key))?.partition).toBe('p')
    expect((await storage.commit('q', put)).ok).toBe(false)
  })

  law(
    'of partitions that claim a row of threads at once, one gets it',
    async ({ storage, shares, another }) => {
      const both = [storage, shares ? await another() : storage] as const
      for (let round = 0; round < 20; round++) {
        const claimed = ['t', `round${round}`]
        const results = await Promise.all(
          ['p', 'q', 'r', 's'].map((name, i) =>
            (both[i % 2] ?? storage).commit(name, { puts: [row('threads', claimed)] }),
          ),
        )
        expect(results.filter(({ ok }) => ok)).toHaveLength(1)
        const home = ['p', 'q', 'r', 's'][results.findIndex(({ ok }) => ok)]
        expect((await storage.locate(claimed))?.partition).toBe(home)
      }
    },
  )

  law('locate finds a row of threads in whichever partition it is', async ({ storage }) => {
    const body = Uint8Array.of(1, 2, 3)
    const version = await commit(storage, 'q', {
      puts: [row('threads', ['u', 'sub'], 'head', { body, rank: 5 })],
    })
    await commit(storage, 'p', { puts: [row('threads', ['u', ''])] })
    const found = await storage.locate(['u', 'sub'])
    expect(found?.partition).toBe('q')
    expect(found?.row).toMatchObject({ key: ['u', 'sub'], head: 'head', version })
    expect([...(found?.row.body ?? [])]).toEqual([1, 2, 3])
    expect((await storage.locate(['u', '']))?.partition).toBe('p')
    expect(await storage.locate(['u', 'su'])).toBeUndefined()
    await commit(storage, 'q', { deletes: [{ table: 'threads', key: ['u', 'sub'] }] })
    expect(await storage.locate(['u', 'sub'])).toBeUndefined()
  })

  law('partitions in use are named in order, each once', async ({ storage }) => {
    const names = ['', '!0041', '10', '9', 'A', 'a', 'a-b', 'aa', 'b']
    for (const name of names.toReversed())
      await commit(storage, name, {
        puts: [row('meta', ['a', '']), row('meta', ['b', '']), row('checkpoints', ['a', 1])],
      })
    expect(await storage.partitions({ limit: 100 })).toEqual(names)
    expect(await storage.partitions({ limit: 3 })).toEqual(names.slice(0, 3))
    expect(await storage.partitions({ limit: 0 })).toEqual([])
    expect(await storage.partitions({ after: 'a', limit: 2 })).toEqual(['a-b', 'aa'])
    expect(await storage.partitions({ after: 'a0', limit: 100 })).toEqual(['aa', 'b'])
    expect(await storage.partitions({ after: '', limit: 1 })).toEqual(['!0041'])
    expect(await storage.partitions({ after: 'b', limit: 100 })).toEqual([])
  })

  law('partitions come in pages without gaps or repeats', async ({ storage }) => {
    const names = Array.from({ length: 23 }, (_, i) => `n${i}`)
    for (const name of names) await commit(storage, name, { puts: [row('meta', ['family', ''])] })
    const found: string[] = []
    for (let page: string[] = []; ; found.push(...page)) {
      const after = found.at(-1)
      page = await storage.partitions({ limit: 5, ...(after === undefined ? {} : { after }) })
      if (page.length === 0) break
    }
    expect(found).toEqual(names.toSorted())
  })

  law('a partition is in use while any table has a row of it', async ({ storage }) => {
    const example: Record<Table, Key> = {
      threads: key,
      checkpoints: ['a', 1],
      parts: ['a', 1, '', 0],
      writes: ['a', 1, 'task', 0],
      meta: ['family', ''],
    }
    for (const table of TABLES) {
      await commit(storage, P, { puts: [row(table, example[table])] })
      expect(await storage.partitions({ limit: 10 }), table).toEqual([P])
      await commit(storage, P, { deletes: [{ table, key: example[table] }] })
      expect(await storage.partitions({ limit: 10 }), table).toEqual([])
    }
  })
}
