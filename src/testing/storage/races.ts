import { expect } from 'vitest'
import type { Storage } from '../../storage/storage.ts'
import { commit, get, keys, P, row, type Bench, type Law } from './law.ts'

const RACERS = 20
const ROUNDS = 50
const meta = { table: 'meta', key: ['head', ''] } as const

export function raceLaws(law: Law): void {
  law('of 20 commits that ask for one version, one is carried out: 50 rounds', async ({ storage }) => {
    await race(storage, [storage], 'version')
  })

  law('of 20 commits that ask for absence, one is carried out: 50 rounds', async ({ storage }) => {
    await race(storage, [storage], 'absence')
  })

  law('the same over two connections, for a version', async ({ storage, another }) => {
    await race(storage, [storage, await another()], 'version')
  })

  law('the same over two connections, for absence', async ({ storage, another }) => {
    await race(storage, [storage, await another()], 'absence')
  })

  law('300 increments by three writers, each by compare and set, lose nothing', async (bench) => {
    const { storage } = bench
    const connections = [storage, await secondOf(bench), storage]
    const written = await Promise.all(connections.map((connection) => countUp(connection, 100)))
    expect((await get(storage, P, 'meta', meta.key))?.head).toBe('300')
    expect(new Set(written.flat()).size).toBe(300)
  })

  law('commits without checks are all carried out, in one partition and in many', async (bench) => {
    const { storage } = bench
    const both = [storage, await secondOf(bench)]
    const all = Array.from({ length: 60 }, (_, i) =>
      commit(both[i % 2] ?? storage, `p${i % 6}`, { puts: [row('checkpoints', ['a', i])] }),
    )
    expect(new Set(await Promise.all(all)).size).toBe(60)
    for (let i = 0; i < 6; i++) expect(await keys(storage, `p${i}`, 'checkpoints')).toHaveLength(10)
  })

  law('a read sees one moment over all its queries, whoever writes', async (bench) => {
    await readWhileWriting(bench.storage, await secondOf(bench))
  })

  law('what is acknowledged is seen by every read that starts afterwards', async (bench) => {
    const { storage } = bench
    const other = await secondOf(bench)
    for (let i = 0; i < 50; i++) {
      await commit(storage, P, { puts: [row('meta', meta.key, String(i))] })
      expect((await get(other, P, 'meta', meta.key))?.head).toBe(String(i))
    }
  })
}

/** A second connection, or where there can be none the first. */
const secondOf = ({ storage, shares, another }: Bench): Promise<Storage> =>
  shares ? another() : Promise.resolve(storage)

/** Losers must leave nothing: each racer brings a row along, and of all of them one is found. */
async function race(
  judge: Storage,
  connections: readonly Storage[],
  what: 'version' | 'absence',
): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const deleteRanges = [{ table: 'writes', from: ['race'], to: ['race0'] }] as const
    const given = await commit(judge, P, {
      deleteRanges,
      ...(what === 'version' ? { puts: [row('meta', meta.key)] } : { deletes: [meta] }),
    })
    const version = what === 'version' ? given : undefined
    const results = await Promise.all(
      Array.from({ length: RACERS }, (_, racer) =>
        (connections[racer % connections.length] ?? judge).commit(P, {
          checks: [{ ...meta, version }],
          puts: [row('meta', meta.key, String(racer)), row('writes', ['race', round, 'racer', racer])],
        }),
      ),
    )
    const winners = results.flatMap(({ ok }, racer) => (ok ? [racer] : []))
    expect(winners, `round ${round}`).toHaveLength(1)
    expect(await keys(judge, P, 'writes')).toEqual([['race', round, 'racer', winners[0]]])
    expect((await get(judge, P, 'meta', meta.key))?.head).toBe(String(winners[0]))
  }
}

/** Adds one to a row, so many times; what it wrote each time. */
async function countUp(storage: Storage, times: number): Promise<number[]> {
  const written: number[] = []
  while (written.length < times) {
    const found = await get(storage, P, 'meta', meta.key)
    const next = Number(found?.head ?? 0) + 1
    const { ok } = await storage.commit(P, {
      checks: [{ ...meta, version: found?.version }],
      puts: [row('meta', meta.key, String(next))],
    })
    if (ok) written.push(next)
  }
  return written
}

async function readWhileWriting(writer: Storage, reader: Storage): Promise<void> {
  const write = (n: number): Promise<string> =>
    commit(writer, P, {
      deleteRanges: [{ table: 'writes', from: ['a'], to: ['b'] }],
      puts: [
        row('threads', ['t', ''], String(n)),
        row('checkpoints', ['a', 1], String(n), { alias: ['a', 'id'] }),
        row('checkpoints', ['b', 1], String(n)),
        row('writes', ['a', n, 'task', 0], String(n)),
        row('meta', ['family', ''], String(n)),
      ],
    })
  await write(0)
  let done = false
  const writing = (async () => {
    for (let n = 1; n <= 150; n++) await write(n)
  })().finally(() => (done = true))
  const readers = [0, 1, 2].map(async () => {
    while (!done) {
      const found = await reader.read(P, [
        { table: 'checkpoints', from: ['b'], to: ['c'], reverse: true, limit: 1 },
        { table: 'threads', keys: [['t', '']] },
        { table: 'checkpoints', alias: ['a', 'id'] },
        { table: 'writes', from: ['a'], to: ['b'] },
        { table: 'checkpoints', from: ['a'], to: ['c'], limit: 2 },
        { table: 'meta', keys: [['family', '']] },
      ])
      const heads = found.flat().map(({ head }) => head)
      expect(heads).toEqual(Array(7).fill(heads[0]))
    }
  })
  await Promise.all([writing, ...readers])
}
