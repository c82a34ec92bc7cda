import { expect } from 'vitest'
import { bytes, commit, get, P, row, sameBytes, scan, type Law } from './law.ts'

const heads = [
  '',
  '{"seq":1}',
  'é ß ñ 漢字 ไทย עברית العربية',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 \u{10FFFF}',
  'e\u0301 is not \u00e9',
  `'single' "double" \`back\` \\ \\' %s _ ; -- DROP TABLE threads`,
  'line\nfeed\r\nreturn\ttab \u2028 \u2029 \u00a0 \ufeff \uffff',
  ' leads and trails ',
  'null',
  'x'.repeat(1000),
]

export function rowLaws(law: Law): void {
  law('a row comes back as it was put, and one without a body has none', async ({ storage }) => {
    const version = await commit(storage, P, { puts: [row('checkpoints', ['a', 1], '{"n":1}')] })
    expect(await get(storage, P, 'checkpoints', ['a', 1])).toStrictEqual({
      key: ['a', 1],
      head: '{"n":1}',
      version,
    })
  })

  law('a head keeps any text', async ({ storage }) => {
    for (const [i, head] of heads.entries()) {
      await commit(storage, P, { puts: [row('writes', ['a', 1, 't', i], head)] })
      expect((await get(storage, P, 'writes', ['a', 1, 't', i]))?.head).toBe(head)
    }
  })

  law('a body keeps every byte', async ({ storage }) => {
    const body = Uint8Array.from({ length: 256 }, (_, i) => i)
    await commit(storage, P, { puts: [row('parts', ['a', 1, '', 0], '', { body })] })
    const found = await get(storage, P, 'parts', ['a', 1, '', 0])
    expect(found?.body).toBeInstanceOf(Uint8Array)
    expect([...(found?.body ?? [])]).toEqual([...body])
  })

  law('an empty body is a body', async ({ storage }) => {
    await commit(storage, P, { puts: [row('checkpoints', ['a', 1], '', { body: new Uint8Array() })] })
    const [found] = await scan(storage, P, 'checkpoints', { from: ['a'], to: ['b'] })
    expect(found?.body).toBeInstanceOf(Uint8Array)
    expect(found?.body).toHaveLength(0)
  })

  law('of a larger buffer the body alone is kept', async ({ storage }) => {
    const body = bytes(64).subarray(10, 21)
    await commit(storage, P, { puts: [row('checkpoints', ['a', 1], '', { body })] })
    expect(sameBytes((await get(storage, P, 'checkpoints', ['a', 1]))?.body, body)).toBe(true)
  })

  law('what is stored is a copy: of what was put, and for whoever reads', async ({ storage }) => {
    const body = bytes(8)
    await commit(storage, P, { puts: [row('checkpoints', ['a', 1], '', { body })] })
    body.fill(0)
    const first = await get(storage, P, 'checkpoints', ['a', 1])
    expect(sameBytes(first?.body, bytes(8))).toBe(true)
    first?.body?.fill(0)
    expect(sameBytes((await get(storage, P, 'checkpoints', ['a', 1]))?.body, bytes(8))).toBe(true)
  })

  law('a put replaces the whole row', async ({ storage }) => {
    await commit(storage, P, { puts: [row('checkpoints', ['a', 1], 'old', { body: bytes(3) })] })
    const version = await commit(storage, P, { puts: [row('checkpoints', ['a', 1], 'new')] })
    expect(await get(storage, P, 'checkpoints', ['a', 1])).toStrictEqual({
      key: ['a', 1],
      head: 'new',
      version,
    })
  })

  law('every table takes its keys', async ({ storage }) => {
    const puts = [
      row('threads', ['t', ''], 'thread'),
      row('checkpoints', ['a', 1], 'checkpoint'),
      row('parts', ['a', 1, '', 0], 'part'),
      row('writes', ['a', 1, 'task', 0], 'write'),
      row('meta', ['family', ''], 'meta'),
    ]
    const version = await commit(storage, P, { puts })
    const queries = puts.map(({ table, key }) => ({ table, keys: [key] }))
    const expected = puts.map(({ key, head }) => [{ key, head, version }])
    expect(await storage.read(P, queries)).toStrictEqual(expected)
  })

  law('rows asked for by key come in that order, without those that are absent', async ({ storage }) => {
    const puts = [1, 2, 3, 4].map((seq) => row('checkpoints', ['a', seq], String(seq)))
    await commit(storage, P, { puts })
    const wanted = [3, 9, 1, 4, 0].map((seq) => ['a', seq])
    const [found] = await storage.read(P, [{ table: 'checkpoints', keys: wanted }])
    expect(found?.map(({ head }) => head)).toEqual(['3', '1', '4'])
  })

  law('each query has a list of its own, in the order asked for', async ({ storage }) => {
    await commit(storage, P, {
      puts: [row('meta', ['family', ''], 'm'), row('checkpoints', ['a', 1], 'c', { alias: ['a', 'id'] })],
    })
    const found = await storage.read(P, [
      { table: 'meta', keys: [['absent', '']] },
      { table: 'checkpoints', alias: ['a', 'id'] },
      { table: 'meta', keys: [] },
      { table: 'checkpoints', from: ['a'], to: ['b'], reverse: true, limit: 1 },
      { table: 'meta', keys: [['family', '']] },
    ])
    expect(found.map((rows) => rows.map(({ head }) => head))).toEqual([[], ['c'], [], ['c'], ['m']])
    expect(await storage.read(P, [])).toEqual([])
  })

  law('where nothing was put, nothing is found', async ({ storage }) => {
    const found = await storage.read('nowhere', [
      { table: 'threads', keys: [['t', '']] },
      { table: 'checkpoints', alias: ['a', 'id'] },
      { table: 'parts', from: ['a'], to: ['b'] },
    ])
    expect(found).toEqual([[], [], []])
    expect(await storage.locate(['t', ''])).toBeUndefined()
    expect(await storage.list({ limit: 10 })).toEqual([])
    expect(await storage.partitions({ limit: 10 })).toEqual([])
  })
}
