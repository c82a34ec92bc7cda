import { expect } from 'vitest'
import { allRows, partKey, partsOf, seqRange, threadKey, threadRows } from '../../storage/keys.ts'
import { compareKeys, type Key, type Range } from '../../storage/storage.ts'
import { fill, keys, P, row, scan, type Bench, type Law } from './law.ts'

const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i))

export function orderLaws(law: Law): void {
  law('numbers are ordered by value, not as text', async ({ storage }) => {
    const numbers = [0, 1, 2, 9, 10, 11, 99, 100, 255, 256, 2 ** 31, 2 ** 32, 2 ** 40 + 1, 2 ** 53 - 1]
    const shuffled = numbers.toSorted((a, b) => (a % 7) - (b % 7))
    await fill(
      storage,
      P,
      shuffled.map((seq) => row('checkpoints', ['a', seq])),
    )
    expect((await keys(storage, P, 'checkpoints')).map((key) => key[1])).toEqual(numbers)
  })

  law('strings are ordered by code unit, over all of printable ASCII', async ({ storage }) => {
    const names = [...ASCII.map((char) => `x${char}`), ...ASCII.map((char) => `x${char}x`), 'x']
    await fill(
      storage,
      P,
      names.map((name) => row('meta', [name, ''])),
    )
    const found = await keys(storage, P, 'meta', { from: ['x'], to: ['y'] })
    expect(found.map(([name]) => name)).toEqual(names.toSorted())
  })

  law('case and digits in strings mean nothing', async ({ storage }) => {
    const names = ['10', '9', 'A', 'B', 'Z', '_', 'a', 'a10', 'a9', 'aB', 'ab', 'z']
    await fill(
      storage,
      P,
      names.toReversed().map((name) => row('meta', [name, ''])),
    )
    expect((await keys(storage, P, 'meta')).map(([name]) => name)).toEqual(names)
  })

  law('keys are ordered part by part, whatever follows', async ({ storage }) => {
    const sorted: Key[] = [
      ['a', ''],
      ['a', '!'],
      ['a', 'b'],
      ['a', 'z'],
      ['a!', ''],
      ['a!', 'a'],
      ['aa', ''],
      ['b', ''],
    ]
    await fill(
      storage,
      P,
      sorted.toReversed().map((key) => row('threads', key)),
    )
    expect(await keys(storage, P, 'threads')).toEqual(sorted)
  })

  law('a bound that is a shorter key comes before the keys that begin with it', async (bench) => {
    const { a0, a1, a2, b0 } = await threeInA(bench)
    const check = rangeCheck(bench)
    await check({ from: ['a'], to: ['a', 1] }, [a0])
    await check({ from: ['a'], to: ['b'] }, [a0, a1, a2])
    await check({ from: ['a', 2], to: ['b'] }, [a2])
    await check({ from: [], to: ['a'] }, [])
    await check({ from: [], to: ['b', 1] }, [a0, a1, a2, b0])
  })

  law('a bound that is a longer key comes after the key that it begins with', async (bench) => {
    const { a0, a1, a2, b0 } = await threeInA(bench)
    const check = rangeCheck(bench)
    await check({ from: ['a', 0, 0], to: ['c'] }, [a1, a2, b0])
    await check({ from: ['a', 0, ''], to: ['c'], reverse: true }, [b0, a2, a1])
    await check({ from: ['a'], to: ['a', 1, 0] }, [a0, a1])
    await check({ from: ['a', 2, 0], to: ['b', 0] }, [])
  })

  law('a range has its start and not its end, also where these are no rows', async (bench) => {
    const { a0, a1, a2, b0 } = await threeInA(bench)
    const check = rangeCheck(bench)
    await check({ from: ['a', 0], to: ['a', 2] }, [a0, a1])
    await check({ from: ['a', 1], to: ['a', 1000] }, [a1, a2])
    await check({ from: ['a', 2], to: ['a', 3] }, [a2])
    await check({ from: ['a', 3], to: ['b', 0] }, [])
    await check({ from: ['a', 3], to: ['c', 0] }, [b0])
  })

  law('a range is read from either end, up to a limit', async (bench) => {
    const { a0, a1, a2, b0 } = await threeInA(bench)
    const check = rangeCheck(bench)
    await check({ from: ['a'], to: ['c'], reverse: true }, [b0, a2, a1, a0])
    await check({ from: ['a', 0], to: ['a', 2], reverse: true }, [a1, a0])
    await check({ from: ['a'], to: ['c'], limit: 2 }, [a0, a1])
    await check({ from: ['a'], to: ['c'], reverse: true, limit: 2 }, [b0, a2])
    await check({ from: ['a'], to: ['b'], reverse: true, limit: 1 }, [a2])
    await check({ from: ['a'], to: ['b'], reverse: false, limit: 99 }, [a0, a1, a2])
    await check({ from: ['a'], to: ['b'], reverse: true, limit: 99 }, [a2, a1, a0])
  })

  law('a limit of nothing gives nothing', async (bench) => {
    await threeInA(bench)
    await rangeCheck(bench)({ from: ['a'], to: ['b'], limit: 0 }, [])
    await rangeCheck(bench)({ from: ['a'], to: ['b'], limit: 0, reverse: true }, [])
  })

  law('an empty or inverted range holds nothing, and is no error', async (bench) => {
    await threeInA(bench)
    const check = rangeCheck(bench)
    for (const reverse of [false, true]) {
      await check({ from: ['a', 1], to: ['a', 1], reverse }, [])
      await check({ from: ['a', 2], to: ['a', 0], reverse, limit: 1 }, [])
      await check({ from: ['b'], to: ['a'], reverse }, [])
      await check({ from: ['a'], to: [], reverse }, [])
      await check({ from: [], to: [], reverse }, [])
    }
  })

  law('the rows of a thread are its own namespaces alone', async ({ storage }) => {
    const ids = ['a', 'a-b', 'a.b', 'a b', 'ab', 'A', 'aé', 'b']
    const namespaces = ['', 'sub', 'ünder', '~']
    const rows = ids.flatMap((id) => namespaces.map((name) => row('threads', threadKey(id, name))))
    await fill(storage, P, rows)
    for (const id of ids) {
      const found = await keys(storage, P, 'threads', threadRows(id))
      const expected = namespaces.map((name) => threadKey(id, name)).toSorted(compareKeys)
      expect(found).toEqual(expected)
    }
    expect(await keys(storage, P, 'threads', allRows())).toHaveLength(rows.length)
    expect(await keys(storage, P, 'threads', allRows('b'))).toHaveLength(namespaces.length)
  })

  law('the rows of a lane are found by seq, without those of its neighbours', async ({ storage }) => {
    const seqs = [0, 1, 9, 10, 11, Number.MAX_SAFE_INTEGER - 1]
    const all = ['k', 'l', 'l0', 'm'].flatMap((lane) => seqs.map((seq) => row('checkpoints', [lane, seq])))
    await fill(storage, P, all)
    const found = async (from: number, to: number): Promise<unknown[]> =>
      (await keys(storage, P, 'checkpoints', seqRange('l', from, to))).map(([lane, seq]) => `${lane}:${seq}`)
    expect(await found(9, 10)).toEqual(['l:9', 'l:10'])
    expect(await found(2, 8)).toEqual([])
    expect(await found(-5, 0)).toEqual(['l:0'])
    expect(await found(0, Number.MAX_SAFE_INTEGER)).toEqual(seqs.map((seq) => `l:${seq}`))
  })

  law('the parts of one owner are apart from those of another', async ({ storage }) => {
    const owners = ['', 'task:1', 'task:10', 'task:2']
    const numbers = [0, 1, 2, 10]
    const rows = [1, 2].flatMap((seq) =>
      owners.flatMap((owner) => numbers.map((number) => row('parts', partKey('l', seq, owner, number)))),
    )
    await fill(storage, P, rows)
    for (const owner of owners) {
      const expected = numbers.map((number) => partKey('l', 1, owner, number))
      expect(await keys(storage, P, 'parts', partsOf('l', 1, owner))).toEqual(expected)
    }
  })

  law('a range without a limit comes whole, however long', async ({ storage }) => {
    const seqs = Array.from({ length: 2500 }, (_, i) => i)
    await fill(
      storage,
      P,
      seqs.map((seq) => row('checkpoints', ['a', seq], String(seq))),
    )
    const range = { from: ['a'], to: ['b'] }
    const read = async (reverse: boolean): Promise<number[]> =>
      (await scan(storage, P, 'checkpoints', { ...range, reverse })).map(({ head }) => Number(head))
    expect(await read(false)).toEqual(seqs)
    expect(await read(true)).toEqual(seqs.toReversed())
  })
}

async function threeInA({ storage }: Bench): Promise<Record<'a0' | 'a1' | 'a2' | 'b0', Key>> {
  const made = { a0: ['a', 0], a1: ['a', 1], a2: ['a', 2], b0: ['b', 0] } satisfies Record<string, Key>
  await fill(
    storage,
    P,
    Object.values(made).map((key) => row('checkpoints', key)),
  )
  return made
}

const rangeCheck =
  ({ storage }: Bench) =>
  async (range: Range, expected: readonly Key[]): Promise<void> =>
    expect(await keys(storage, P, 'checkpoints', range), JSON.stringify(range)).toEqual(expected)
