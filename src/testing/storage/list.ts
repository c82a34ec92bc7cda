import { expect } from 'vitest'
import type { ListQuery, Storage } from '../../storage/storage.ts'
import { bytes, commit, row, sameBytes, type Law } from './law.ts'

export function listLaws(law: Law): void {
  law('threads are listed over all partitions, the greatest rank first', async ({ storage }) => {
    const ranks = [3, 1.5, 100, 0, -2, 20, 1_760_000_000_000, 9]
    for (const rank of ranks) await rankThread(storage, `t${rank}`, rank, `p${rank}`)
    const found = await storage.list({ limit: 100 })
    const sorted = ranks.toSorted((a, b) => b - a)
    expect(found.map(({ rank }) => rank + 0)).toEqual(sorted)
    expect(found.map(({ key }) => key)).toEqual(sorted.map((rank) => [`t${rank}`, '']))
    expect(found.map(({ partition }) => partition)).toEqual(sorted.map((rank) => `p${rank}`))
  })

  law('a listed row comes whole', async ({ storage }) => {
    const version = await commit(storage, 'p', {
      puts: [
        row('threads', ['t', ''], 'head', { rank: 7, body: bytes(9) }),
        row('threads', ['u', ''], '', { rank: 6 }),
      ],
    })
    const [first, second] = await storage.list({ limit: 2 })
    expect(first).toMatchObject({ key: ['t', ''], head: 'head', version, partition: 'p', rank: 7 })
    expect(sameBytes(first?.body, bytes(9))).toBe(true)
    expect(second).toStrictEqual({ key: ['u', ''], head: '', version, partition: 'p', rank: 6 })
  })

  law('rows of equal rank are listed by key', async ({ storage }) => {
    const names = ['10', '9', 'A', 'a', 'a-', 'a0', 'aa', 'b']
    for (const [i, name] of names.toReversed().entries()) await rankThread(storage, name, 5, `p${i}`)
    await rankThread(storage, 'first', 6)
    await rankThread(storage, 'last', 4)
    expect(await listed(storage, { limit: 100 })).toEqual(['first', ...names, 'last'])
    expect(await listed(storage, { limit: 2, after: { rank: 5, key: ['a', ''] } })).toEqual(['a-', 'a0'])
    expect(await listed(storage, { limit: 2, after: { rank: 5, key: ['a', '', 0] } })).toEqual(['a-', 'a0'])
    expect(await listed(storage, { limit: 2, after: { rank: 5, key: ['b', ''] } })).toEqual(['last'])
  })

  law('rows without a rank are not listed', async ({ storage }) => {
    await rankThread(storage, 't', 1)
    await commit(storage, 't', { puts: [row('threads', ['t', 'sub']), row('threads', ['t', 'other'])] })
    expect(await listed(storage, { limit: 10 })).toEqual(['t'])
    await commit(storage, 't', { puts: [row('threads', ['t', ''])] })
    expect(await listed(storage, { limit: 10 })).toEqual([])
  })

  law('the list follows puts and deletions', async ({ storage }) => {
    for (const [i, name] of ['a', 'b', 'c'].entries()) await rankThread(storage, name, i)
    expect(await listed(storage, { limit: 10 })).toEqual(['c', 'b', 'a'])
    await rankThread(storage, 'a', 10)
    expect(await listed(storage, { limit: 10 })).toEqual(['a', 'c', 'b'])
    await commit(storage, 'c', { deletes: [{ table: 'threads', key: ['c', ''] }] })
    await commit(storage, 'b', { deleteRanges: [{ table: 'threads', from: ['b'], to: ['c'] }] })
    expect(await listed(storage, { limit: 10 })).toEqual(['a'])
  })

  law('a list is of the length asked for', async ({ storage }) => {
    for (const [i, name] of ['a', 'b', 'c'].entries()) await rankThread(storage, name, i)
    expect(await listed(storage, { limit: 0 })).toEqual([])
    expect(await listed(storage, { limit: 2 })).toEqual(['c', 'b'])
    expect(await listed(storage, { limit: 3 })).toEqual(['c', 'b', 'a'])
  })

  law('a page starts after its cursor, also when that row has gone', async ({ storage }) => {
    for (const [i, name] of ['a', 'b', 'c', 'd'].entries()) await rankThread(storage, name, i)
    await commit(storage, 'c', { deletes: [{ table: 'threads', key: ['c', ''] }] })
    expect(await listed(storage, { limit: 10, after: { rank: 2, key: ['c', ''] } })).toEqual(['b', 'a'])
    expect(await listed(storage, { limit: 10, after: { rank: 0, key: ['a', ''] } })).toEqual([])
    expect(await listed(storage, { limit: 1, after: { rank: 99, key: ['z', ''] } })).toEqual(['d'])
  })

  law('a cursor may be a shorter key, which comes before those that begin with it', async ({ storage }) => {
    for (const name of ['a', 'b', 'c']) await rankThread(storage, name, 1)
    const from = (name: string): ListQuery => ({ limit: 1, after: { rank: 1, key: [name] } })
    expect(await listed(storage, from('b'))).toEqual(['b'])
    expect(await listed(storage, from('b!'))).toEqual(['c'])
    expect(await listed(storage, { limit: 3, after: { rank: 2, key: ['b'] } })).toEqual(['a', 'b', 'c'])
    expect(await listed(storage, { limit: 3, after: { rank: 1, key: [] } })).toEqual(['a', 'b', 'c'])
    expect(await listed(storage, { limit: 3, after: { rank: 0.5, key: [] } })).toEqual([])
  })

  law('a list without an end in sight comes whole', async ({ storage }) => {
    for (const [i, name] of ['a', 'b'].entries()) await rankThread(storage, name, i)
    for (const limit of [Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])
      expect(await listed(storage, { limit })).toEqual(['b', 'a'])
  })

  law('pages have no gaps and no repeats, while other rows move to the front', async ({ storage }) => {
    const names = Array.from({ length: 25 }, (_, i) => `n${i}`)
    for (const [i, name] of names.entries()) await rankThread(storage, name, Math.floor(i / 4))
    const touched = new Set<string>()
    const seen: string[] = []
    let after: ListQuery['after']
    for (;;) {
      const page = await storage.list({ limit: 3, ...(after ? { after } : {}) })
      const last = page.at(-1)
      if (!last) break
      seen.push(...page.map(({ key }) => String(key[0])))
      after = { rank: last.rank, key: last.key }
      // One that was seen, the row of the cursor itself, and one that is still to come.
      const unseen = names.find((name) => !seen.includes(name) && !touched.has(name))
      for (const name of [seen[0], seen.at(-1), unseen]) {
        if (name === undefined) continue
        touched.add(name)
        await rankThread(storage, name, 1000 + seen.length)
      }
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(names.filter((name) => !touched.has(name) && !seen.includes(name))).toEqual([])
  })
}

async function rankThread(storage: Storage, name: string, rank: number, partition = name): Promise<void> {
  await commit(storage, partition, { puts: [row('threads', [name, ''], '', { rank })] })
}

const listed = async (storage: Storage, query: ListQuery): Promise<unknown[]> =>
  (await storage.list(query)).map(({ key }) => key[0])
