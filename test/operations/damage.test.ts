import { openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it } from 'vitest'
import { escapeId } from '../../src/storage/keys.ts'
import type { Row, Table } from '../../src/storage/storage.ts'

/** What one damaged row takes with it, and what it must not. */
interface Talk {
  readonly list: readonly string[]
}
const talk = (length: number): Talk => ({ list: Array.from({ length }, (_, i) => `message ${i}`) })

/** Puts a row again with one character of its head, or one byte of its body, changed. */
async function damage(
  storage: Storage,
  thread: string,
  table: Table,
  wanted: (row: Row) => boolean,
): Promise<void> {
  const partition = escapeId(thread)
  const [rows = []] = await storage.read(partition, [{ table, from: [], to: ['\x7e'] }])
  const row = rows.find(wanted)
  if (!row) throw new Error('There is no such row.')
  const body = row.body?.slice()
  if (body) body[body.length >> 1] = (body[body.length >> 1] as number) ^ 1
  const head = body ? row.head : row.head.replace('"createdAt":', '"createdAu":')
  const alias = table === 'checkpoints' ? { alias: [row.key[0] as string, `alias ${row.key[1]}`] } : {}
  const rank = table === 'threads' ? { rank: 1 } : {}
  await storage.commit(partition, {
    puts: [{ table, key: row.key, head, ...(body ? { body } : {}), ...alias, ...rank }],
  })
}

async function withThreads(): Promise<{ storage: Storage; checkpointer: Checkpointer; warnings: string[] }> {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const warnings: string[] = []
  const open = () =>
    openCheckpointer({ name: 'damage', storage, onWarning: ({ code }) => warnings.push(code) })
  const writer = await open()
  for (const id of ['a', 'b']) for (let i = 1; i <= 6; i++) await writer.thread<Talk>(id).save(talk(i))
  await writer
    .thread<Talk>('a')
    .fork({ at: 4, as: 'fork' })
    .then((fork) => fork.save(talk(5)))
  await writer.close()
  return { storage, checkpointer: await open(), warnings }
}

describe('a damaged checkpoint', () => {
  it('is told with its place, and so is what stands on it; all else can be read', async () => {
    const { storage, checkpointer } = await withThreads()
    await damage(storage, 'a', 'checkpoints', ({ key }) => key[1] === 3)
    const thread = checkpointer.thread<Talk>('a')
    for (const seq of [1, 2]) expect((await thread.load(seq))?.state).toEqual(talk(seq))
    for (const seq of [3, 4, 6])
      await expect(thread.load(seq)).rejects.toMatchObject({ code: 'CORRUPT', thread: 'a', seq: 3 })
    expect((await checkpointer.thread<Talk>('b').load())?.state).toEqual(talk(6))
    const { problems } = await checkpointer.verify()
    expect(problems.map(({ seq }) => seq)).toContain(3)
    expect(problems.some(({ thread: of }) => of === 'b')).toBe(false)
  })

  it('ends a history where it stands, which goes on after it', async () => {
    const { storage, checkpointer } = await withThreads()
    await damage(storage, 'a', 'checkpoints', ({ key }) => key[1] === 3)
    const thread = checkpointer.thread<Talk>('a')
    const walk = async (
      states: boolean,
      order: 'oldest' | 'newest',
      bounds: { before?: number; after?: number } = {},
    ) => {
      const seqs: number[] = []
      let broken: unknown
      try {
        for await (const { seq } of thread.history({ states, order, ...bounds })) seqs.push(seq)
      } catch (error) {
        broken = (error as { seq?: number }).seq
      }
      return { seqs, broken }
    }
    expect(await walk(false, 'oldest')).toEqual({ seqs: [1, 2], broken: 3 })
    expect(await walk(false, 'oldest', { after: 3 })).toEqual({ seqs: [4, 5, 6], broken: undefined })
    expect(await walk(false, 'newest')).toEqual({ seqs: [6, 5, 4], broken: 3 })
    expect(await walk(true, 'oldest')).toEqual({ seqs: [1, 2], broken: 3 })
    // Their states stand on the damaged one: each is named in turn.
    expect(await walk(true, 'oldest', { after: 3 })).toEqual({ seqs: [], broken: 4 })
    expect(await walk(true, 'newest')).toEqual({ seqs: [], broken: 6 })
    expect(await walk(true, 'newest', { before: 3 })).toEqual({ seqs: [2, 1], broken: undefined })
  })

  it('is set aside by a repair, with what stands on it; what can be read stays, and saving goes on', async () => {
    const { storage, checkpointer } = await withThreads()
    await damage(storage, 'a', 'checkpoints', ({ key }) => key[1] === 3)
    const thread = checkpointer.thread<Talk>('a')
    const plan = await checkpointer.verify({ repair: 'plan' })
    expect(plan.acts.filter((act) => act.thread === 'a').map(({ seq, act }) => [seq, act])).toEqual([
      [3, 'quarantined'],
      [4, 'quarantined'],
      [5, 'quarantined'],
      [6, 'quarantined'],
      [6, 'rebuilt'],
    ])
    await expect(thread.load()).rejects.toMatchObject({ code: 'CORRUPT' })
    expect((await checkpointer.verify({ repair: true })).acts).toEqual(plan.acts)
    expect((await checkpointer.verify()).problems).toEqual([])
    expect(await thread.load()).toMatchObject({ seq: 2, state: talk(2) })
    expect((await checkpointer.thread<Talk>('fork').load())?.seq).toBe(2)
    expect((await thread.save(talk(3))).seq).toBe(7)
    const [rows = []] = await storage.read('a', [
      { table: 'meta', from: ['quarantine'], to: ['quarantine~'] },
    ])
    expect(rows.map(({ head }) => head).join()).toContain('its checksum does not fit')
  })

  it('can be deleted, pruned and saved over', async () => {
    const { storage, checkpointer } = await withThreads()
    const lane = (await storage.read('a', [{ table: 'checkpoints', from: [], to: ['\x7e'] }]))[0]?.find(
      ({ key }) => key[1] === 6,
    )?.key[0]
    await damage(storage, 'a', 'checkpoints', ({ key }) => key[0] === lane && key[1] === 5)
    const thread = checkpointer.thread<Talk>('a')
    await thread.deleteCheckpoints([5])
    expect((await thread.save(talk(7))).seq).toBe(7)
    await thread.prune({ keepLast: 1 })
    expect((await thread.load())?.state).toEqual(talk(7))
    expect((await checkpointer.thread<Talk>('fork').load())?.state).toEqual(talk(5))
    expect(await thread.delete()).toBe(true)
    expect((await checkpointer.thread<Talk>('fork').load(3))?.state).toEqual(talk(3))
    expect((await checkpointer.verify()).problems).toEqual([])
  })
})

describe('a damaged row of a thread', () => {
  it('hides no other thread from the list, and is warned of', async () => {
    const { storage, checkpointer, warnings } = await withThreads()
    await damage(storage, 'b', 'threads', () => true)
    const ids: string[] = []
    for await (const { id } of checkpointer.threads()) ids.push(id)
    expect(ids.sort()).toEqual(['a', 'fork'])
    expect(warnings).toEqual(['CORRUPT'])
    expect((await checkpointer.usage()).threads).toBe(3)
    expect((await checkpointer.verify()).problems).toMatchObject([{ thread: 'b' }])
    await expect(checkpointer.thread('b').load()).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  it('can be deleted', async () => {
    const { storage, checkpointer } = await withThreads()
    await damage(storage, 'b', 'threads', () => true)
    expect(await checkpointer.thread('b').delete()).toBe(true)
    await checkpointer.thread<Talk>('b').save(talk(2))
    expect((await checkpointer.thread<Talk>('b').load())?.state).toEqual(talk(2))
    expect((await checkpointer.verify()).problems).toEqual([])
  })

  it('takes nothing that it may show: others only hide what they lose', async () => {
    const { storage, checkpointer } = await withThreads()
    await damage(storage, 'a', 'threads', ({ key }) => key[0] === 'fork')
    await checkpointer.thread('a').prune({ keepLast: 1 })
    expect((await checkpointer.usage()).checkpoints).toBe(13)
    expect(await checkpointer.thread('fork').delete()).toBe(true)
    expect((await checkpointer.thread<Talk>('a').load())?.state).toEqual(talk(6))
    await checkpointer.thread('a').delete()
    expect((await checkpointer.usage()).checkpoints).toBe(6)
  })
})

it.each(['0', 'z'])(
  'a thread whose row has come to stand in another partition, %s, gets it back',
  async (other) => {
    const { storage, checkpointer } = await withThreads()
    const [[row] = []] = await storage.read('a', [{ table: 'threads', keys: [['a', '']] }])
    if (!row) throw new Error('There is no such row.')
    const { key, head } = row
    await storage.commit('a', { deletes: [{ table: 'threads', key }] })
    await storage.commit(other, { puts: [{ table: 'threads', key, head, rank: 1 }] })
    await expect(checkpointer.thread<Talk>('a').load()).rejects.toMatchObject({ code: 'CORRUPT' })
    const plan = (await checkpointer.verify({ repair: 'plan' })).acts
    expect((await checkpointer.verify({ repair: true })).acts).toEqual(plan)
    expect(plan.map(({ act, thread }) => `${act} ${thread}`)).toEqual(['quarantined a', 'rebuilt a'])
    expect((await checkpointer.verify()).problems).toEqual([])
    expect((await checkpointer.thread<Talk>('a').load())?.state).toEqual(talk(6))
    expect((await checkpointer.thread<Talk>('fork').load())?.state).toEqual(talk(5))
  },
)

it('a damaged row of the database is warned of, and all else is read', async () => {
  const { storage, checkpointer } = await withThreads()
  await checkpointer.close()
  const [rows = []] = await storage.read('', [{ table: 'meta', keys: [['database', '']] }])
  const row = rows[0] as Row
  await storage.commit('', {
    puts: [{ table: 'meta', key: row.key, head: row.head.replace('"id"', '"ie"') }],
  })
  const warnings: string[] = []
  const again = await openCheckpointer({
    name: 'damage',
    storage,
    onWarning: ({ code }) => warnings.push(code),
  })
  expect(warnings).toEqual(['CORRUPT'])
  expect((await again.thread<Talk>('a').load())?.state).toEqual(talk(6))
})
