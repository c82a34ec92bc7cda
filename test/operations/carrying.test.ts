import type { Batch, Checkpointer, Storage } from 'forkpoint'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { bytesOf } from '../../src/storage/storage.ts'
import {
  asked,
  dying,
  fileOf,
  idsIn,
  isPublishing,
  kept,
  made,
  open,
  showsThreads,
  warnings,
} from './carried.ts'

afterEach(() => void vi.useRealTimers())

describe('an import whose machine goes down', () => {
  it('before all was staged: nothing of it is seen, and ten minutes later nothing is there', async () => {
    const storage = kept()
    await expect((await open(dying(storage, isPublishing))).import(await made())).rejects.toThrow('power')
    const next = await open(storage)
    expect(await idsIn(next)).toEqual([])
    expect((await next.usage()).checkpoints).toBe(10)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60 * 1000 })
    const later = await open(storage)
    expect(await later.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
    expect(await storage.partitions({ limit: 10 })).toEqual([''])
  })

  it('when it was decided: the next to open goes on with it', async () => {
    const storage = kept()
    await expect((await open(dying(storage, showsThreads))).import(await made())).rejects.toThrow('power')
    const next = await open(storage)
    expect(await idsIn(next)).toEqual(['a', 'a fork 1', 'b'])
    expect((await next.verify()).problems).toEqual([])
    const [rows] = await storage.read('', [{ table: 'meta', from: ['import'], to: ['importz'] }])
    expect(rows).toEqual([])
  })

  it('between the commits that one large family takes: the same', async () => {
    const storage = kept({ operations: 40 })
    let published = 0
    const second = dying(storage, (partition, batch) => showsThreads(partition, batch) && ++published > 1)
    await expect((await open(second)).import(await made(20))).rejects.toThrow('power')
    const next = await open(storage)
    expect(await idsIn(next)).toHaveLength(22)
    expect((await next.verify()).problems).toEqual([])
  })

  it('and a thread has its name meanwhile: it gets another, and a warning', async () => {
    const storage = kept()
    await expect((await open(dying(storage, showsThreads))).import(await made())).rejects.toThrow('power')
    await storage.commit('b', { puts: await threadRow(storage) })
    warnings.length = 0
    const ids = await idsIn(await open(storage))
    expect(ids).toHaveLength(4)
    expect(ids.filter((id) => id.startsWith('b'))).toHaveLength(2)
    expect(warnings).toMatchObject([{ code: 'CONFLICT' }])
  })
})

/** A row of a thread `b`, as another tab would have put it. */
async function threadRow(storage: Storage): Promise<NonNullable<Batch['puts']>> {
  const elsewhere = kept()
  await (await open(elsewhere)).thread('b').save(1)
  expect(await storage.locate(['b', ''])).toBeUndefined()
  const found = await elsewhere.locate(['b', ''])
  if (!found) throw new Error('there is no such row')
  return [{ table: 'threads', key: found.row.key, head: found.row.head, rank: 1 }]
}

it('an import under way is ended before the database is destroyed', async () => {
  const storage = kept()
  const left: string[][] = []
  const destroying: Storage = {
    ...asked(storage, async () => {}),
    async destroy() {
      left.push(await storage.partitions({ limit: 10 }))
      await storage.destroy()
    },
  }
  const host = await createHost({ storage: destroying })
  const bytes = new Uint8Array(await (await made()).arrayBuffer())
  const bounds = { bytes: 1e9, ratio: 100, lines: 1e6 }
  const page = {
    id: 'i',
    page: 0,
    bytes: bytes.slice(0, -200),
    isLast: false,
    onConflict: 'refuse',
    bounds,
  } as const
  await host.importPage(page)
  await vi.waitFor(async () => expect(await storage.partitions({ limit: 10 })).not.toEqual(['']))
  await host.destroy()
  expect(left).toEqual([['']])
})

it('an import that gives no sign of life is cleared up, and told so when it goes on after all', async () => {
  const storage = kept()
  const file = new Uint8Array(await (await made()).arrayBuffer())
  let goOn = (): void => {}
  const sleep = new Promise<void>((resolve) => (goOn = resolve))
  const importing = (await open(storage)).import(
    (async function* () {
      yield file.slice(0, file.length - 200)
      await sleep
      yield file.slice(file.length - 200)
    })(),
  )
  importing.catch(() => {})
  await vi.waitFor(async () => expect(await storage.partitions({ limit: 10 })).not.toEqual(['']))
  await open(storage)
  expect(await storage.partitions({ limit: 10 })).not.toEqual([''])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60 * 1000 })
  const other = await open(storage)
  goOn()
  await expect(importing).rejects.toMatchObject({ code: 'FAILED' })
  expect(await other.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
})

it('what a worker had staged that was lost is removed by the next, when the caller gives it up', async () => {
  const storage = kept()
  const file = new Uint8Array(await (await made()).arrayBuffer())
  const request = {
    id: 'one',
    onConflict: 'refuse',
    bounds: { bytes: 1e6, ratio: 100, lines: 1000 },
  } as const
  const lost = await createHost({ storage })
  await lost.importPage({ ...request, page: 0, bytes: file.slice(0, -100), isLast: false })
  await lost.importPage({ ...request, page: 1, bytes: file.slice(-100, -50), isLast: false })
  expect(await storage.partitions({ limit: 10 })).not.toEqual([''])
  const next = await createHost({ storage })
  const cutOff = next.importPage({ ...request, page: 2, bytes: file.slice(-50), isLast: true })
  await expect(cutOff).rejects.toMatchObject({ code: 'FAILED', outcome: 'none' })
  await next.endCarry({ id: 'one' })
  expect(await storage.partitions({ limit: 10 })).toEqual([''])
  await expect(next.exportPage({ id: 'two', page: 3, onDamage: 'refuse' })).rejects.toMatchObject({
    code: 'FAILED',
  })
})

describe('a name that is taken at the last moment', () => {
  const racing = (storage: Storage): Storage => {
    let isDone = false
    return asked(storage, async (partition, batch) => {
      if (isDone || !isPublishing(partition, batch)) return
      isDone = true
      await (await open(storage)).thread('b').save('mine')
    })
  }

  it('refuses all, also what was seen already', async () => {
    const storage = kept()
    await expect((await open(racing(storage))).import(await made())).rejects.toMatchObject({
      code: 'CONFLICT',
      thread: 'b',
    })
    const checkpointer = await open(storage)
    expect(await idsIn(checkpointer)).toEqual(['b'])
    expect(await checkpointer.usage()).toMatchObject({ checkpoints: 1 })
  })

  it.each([
    ['skip', ['a', 'a fork 1', 'b']],
    ['rename', ['a', 'a fork 1', 'b', 'b-2']],
  ] as const)('with onConflict: %s', async (onConflict, ids) => {
    const storage = kept()
    const checkpointer = await open(racing(storage))
    const imported = await checkpointer.import(await made(), { onConflict })
    expect(onConflict === 'skip' ? imported.skipped : imported.renamed.map(({ from }) => from)).toEqual(['b'])
    expect(await idsIn(checkpointer)).toEqual(ids)
    expect((await checkpointer.thread('b').load())?.state).toBe('mine')
    expect((await checkpointer.verify()).problems).toEqual([])
  })
})

describe('an export of damaged rows', () => {
  const damaged = async (): Promise<Checkpointer> => {
    const storage = kept()
    const checkpointer = await open(storage)
    const thread = checkpointer.thread<string[]>('t')
    for (let n = 1; n <= 6; n++) await thread.save(Array.from({ length: n }, (_, i) => `line ${i}`))
    await thread.putWrites(4, 'task', [{ channel: 'c', value: 1 }])
    const [facts] = (await storage.read('t', [{ table: 'checkpoints', from: [], to: ['~'] }])).flat()
    const lane = facts?.key[0] ?? ''
    const [row] = (await storage.read('t', [{ table: 'checkpoints', keys: [[lane, 4]] }])).flat()
    if (!row) throw new Error('there is no such row')
    const { key, head } = row
    await storage.commit('t', { puts: [{ table: 'checkpoints', key, head, body: new Uint8Array([1]) }] })
    return checkpointer
  }

  it('is refused, and says which', async () => {
    await expect(fileOf((await damaged()).export())).rejects.toMatchObject({ code: 'CORRUPT', seq: 4 })
  })

  it('leaves them out when asked to, with what stands on them, and says so here and where it is imported', async () => {
    warnings.length = 0
    const file = await fileOf((await damaged()).export('t', { onDamage: 'skip' }))
    expect(warnings.map(({ code }) => code)).toEqual(['CORRUPT', 'CORRUPT', 'CORRUPT'])
    const other = await open(kept())
    expect(await other.import(file)).toMatchObject({ threads: ['t'], checkpoints: 3, missing: 3 })
    expect((await other.thread('t').load())?.seq).toBe(3)
    expect((await other.verify()).problems).toEqual([])
    expect((await other.thread('t').save([])).seq).toBe(7)
  })
})

it('what was removed between two pages is taken back, and comes again as it is by then', async () => {
  const checkpointer = await open(kept())
  const thread = checkpointer.thread<string>('t')
  const stateOf = (n: number): string => Array.from({ length: 6000 }, (_, i) => `${n * i} `).join('')
  for (let n = 1; n <= 12; n++) await thread.save(stateOf(n))
  const fork = await thread.fork({ at: 6, as: 'fork' })
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of checkpointer.export()) {
    pieces.push(new Uint8Array(piece))
    if (pieces.length === 2) await thread.deleteCheckpoints([2, 5, 12])
    if (pieces.length === 4) await thread.fork({ at: 4, as: 'another' })
  }
  const file = new Blob(pieces)
  expect((await file.text()).match(/"kind":"again"/g)).toHaveLength(1)
  const other = await open(kept())
  expect(new Set((await other.import(file)).threads)).toEqual(new Set(['fork', 't']))
  for (const [id, seqs] of [
    ['t', [1, 3, 4, 6, 7, 8, 9, 10, 11]],
    ['fork', [1, 2, 3, 4, 5, 6]],
  ] as const) {
    const states = new Map<number, unknown>()
    for await (const { seq, state } of other.thread(id).history({ states: true, order: 'oldest' }))
      states.set(seq, state)
    expect(states).toEqual(new Map(seqs.map((seq) => [seq, stateOf(seq)])))
  }
  expect((await fork.load(5))?.state).toBe(stateOf(5))
  expect((await other.verify()).problems).toEqual([])
})

it('never holds more than a page of a file, either way', async () => {
  const most = { read: 0, committed: 0, piece: 0 }
  const storage = kept({ valueBytes: 500_000, commitBytes: 2_000_000 })
  const watched: Storage = {
    ...asked(storage, async (_, { puts = [] }) => {
      most.committed = Math.max(
        most.committed,
        puts.reduce((sum, put) => sum + bytesOf(put), 0),
      )
    }),
    async read(partition, queries) {
      const rows = await storage.read(partition, queries)
      most.read = Math.max(
        most.read,
        rows.flat().reduce((sum, row) => sum + bytesOf(row), 0),
      )
      return rows
    },
  }
  const writer = await open(storage)
  for (let n = 0; n < 400; n++) {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    await writer.thread('large').save({ n, noise: Buffer.from(bytes).toString('base64') })
  }
  await writer.close()
  const checkpointer = await open(watched)
  let ahead = 0
  let bytes = 0
  async function* metered() {
    for await (const piece of checkpointer.export('large')) {
      most.piece = Math.max(most.piece, piece.length)
      bytes += piece.length
      ahead++
      yield piece
      ahead--
      expect(ahead).toBe(0)
    }
  }
  await checkpointer.import(metered(), { onConflict: 'rename' })
  expect(bytes).toBeGreaterThan(25_000_000)
  expect(most.read).toBeLessThan(2_000_000)
  expect(most.committed).toBeLessThan(1_000_000)
  expect(most.piece).toBeLessThan(600_000)
})
