import {
  CheckpointerError,
  type Batch,
  type Checkpointer,
  type ErrorCode,
  type Row,
  type Storage,
} from 'forkpoint'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { ImportPageRequest } from '../../src/operations/host.ts'
import { unescapeId } from '../../src/storage/escape-id.ts'
import { asked, idsIn, isPublishing, kept, made, open, showsThreads, warnings } from './carried.ts'

afterEach(() => void (warnings.length = 0))

/** A commit holds seven threads: a family of more is published in several. */
const SMALL = { operations: 40 }
const FORKS = 20
const ALL = FORKS + 2

/** The commits that let threads be seen are refused from one number on, so many times. */
function failing(storage: Storage, from: number, times: number, code: ErrorCode = 'FAILED'): Storage {
  let number = 0
  return asked(storage, async (partition, batch) => {
    if (!showsThreads(partition, batch)) return
    number++
    if (number >= from && number < from + times) throw new CheckpointerError(code, 'Not in this moment.')
  })
}

const importRows = async (storage: Storage): Promise<unknown[]> =>
  (await storage.read('', [{ table: 'meta', from: ['import'], to: ['importz'] }])).flat()

const staged = async (storage: Storage): Promise<unknown[]> => {
  const rows: unknown[] = []
  for (const partition of await storage.partitions({ limit: 100 }))
    rows.push(
      ...(await storage.read(partition, [{ table: 'meta', from: ['staged'], to: ['stagedz'] }])).flat(),
    )
  return rows
}

async function expectAll(checkpointer: Checkpointer, storage: Storage): Promise<void> {
  expect(await idsIn(checkpointer)).toHaveLength(ALL)
  expect((await checkpointer.thread('a fork 20').load())?.state).toEqual([0, 1, 2])
  expect((await checkpointer.verify()).problems).toEqual([])
  expect([await importRows(storage), await staged(storage)]).toEqual([[], []])
}

describe('an import that is decided', () => {
  it.each(['FAILED', 'BLOCKED', 'QUOTA'] as const)('goes on after a %s that passes', async (code) => {
    const storage = kept(SMALL)
    const checkpointer = await open(failing(storage, 2, 2, code))
    const told: string[] = []
    checkpointer.subscribe((event) => void ('thread' in event && told.push(event.thread)))
    expect((await checkpointer.import(await made(FORKS))).threads).toHaveLength(ALL)
    await expectAll(checkpointer, storage)
    expect(told.sort()).toEqual(await idsIn(checkpointer))
    expect(warnings).toEqual([])
  })

  it('and fails for longer says so, and the next opening goes on with it', async () => {
    const storage = kept(SMALL)
    const checkpointer = await open(failing(storage, 2, Infinity, 'QUOTA'))
    await expect(checkpointer.import(await made(FORKS))).rejects.toMatchObject({
      code: 'FAILED',
      outcome: 'unknown',
      message: expect.stringContaining('decided'),
      cause: { code: 'QUOTA' },
    })
    expect((await idsIn(checkpointer)).length).toBeGreaterThan(1)
    expect(await importRows(storage)).toHaveLength(1)
    expect(warnings).toEqual([])
    await expectAll(await open(storage), storage)
    expect(warnings).toEqual([])
  })

  it('keeps nobody from opening, as long as it cannot go on', async () => {
    const storage = kept(SMALL)
    const file = await made(FORKS)
    await expect((await open(failing(storage, 1, Infinity))).import(file)).rejects.toThrow('decided')
    const next = await open(failing(storage, 1, Infinity))
    expect(warnings).toMatchObject([{ code: 'FAILED' }])
    await next.thread('mine').save(1)
    await (await open(storage)).thread('mine').delete()
    await expectAll(await open(storage), storage)
  })

  it('tells of a commit that was made although it failed, and does not make it twice', async () => {
    const storage = kept(SMALL)
    let number = 0
    const unsure: Storage = {
      ...asked(storage, async () => {}),
      async commit(partition, batch) {
        const result = await storage.commit(partition, batch)
        if (showsThreads(partition, batch) && ++number === 2)
          throw new CheckpointerError('FAILED', 'Cut off.', { outcome: 'unknown' })
        return result
      },
    }
    const checkpointer = await open(unsure)
    const told: string[] = []
    checkpointer.subscribe((event) => void ('thread' in event && told.push(event.thread)))
    await checkpointer.import(await made(FORKS))
    await expectAll(checkpointer, storage)
    expect(told.sort()).toEqual(await idsIn(checkpointer))
  })

  it('gives a thread another name when somebody has forked its family by its own', async () => {
    const storage = kept(SMALL)
    const checkpointer = await open(failing(storage, 2, 3))
    await expect(checkpointer.import(await made(FORKS))).rejects.toThrow('decided')
    const [first] = await idsIn(checkpointer)
    const ids = new Set(await idsIn(checkpointer))
    const free = Array.from({ length: FORKS }, (_, i) => `a fork ${i + 1}`).find((id) => !ids.has(id))
    const mine = await checkpointer.thread(first ?? '').fork({ as: free ?? '' })
    await mine.save(['mine'])
    const next = await open(storage)
    expect(await idsIn(next)).toHaveLength(ALL + 1)
    expect((await next.thread(free ?? '').load())?.state).toEqual(['mine'])
    expect(warnings).toMatchObject([{ code: 'CONFLICT' }])
    expect((await next.verify()).problems).toEqual([])
    expect([await importRows(storage), await staged(storage)]).toEqual([[], []])
  })

  it('takes as many commits as it takes', async () => {
    const storage = kept({ operations: 7 })
    const checkpointer = await open(storage)
    expect((await checkpointer.import(await made(1010))).threads).toHaveLength(1012)
  }, 60_000)
})

describe('what a removal does while not all of a family can be seen', () => {
  /** One that was open before, and so has gone on with nothing; the file has come as far as its first commits let be seen. */
  async function halfway() {
    const storage = kept(SMALL)
    const beside = await open(storage)
    const importing = await open(failing(storage, 2, Infinity, 'QUOTA'))
    await expect(importing.import(await made(FORKS))).rejects.toThrow('decided')
    const there = await idsIn(beside)
    expect(there.length).toBeGreaterThan(2)
    expect(there.length).toBeLessThan(ALL)
    return { storage, beside, there }
  }

  async function expectWhole(storage: Storage, count: number): Promise<void> {
    const next = await open(storage)
    const ids = await idsIn(next)
    expect(ids).toHaveLength(count)
    for (const id of ids) expect((await next.thread(id).load())?.state).toBeInstanceOf(Array)
    expect((await next.verify()).problems).toEqual([])
    expect([await importRows(storage), await staged(storage)]).toEqual([[], []])
  }

  it('a deletion of all that can be seen leaves what is to come', async () => {
    const { storage, beside, there } = await halfway()
    for (const id of there) await beside.thread(id).delete()
    await expectWhole(storage, ALL - there.length)
  })

  it('a deletion of the origin, and a prune of the last that shows it, leave what is to come whole', async () => {
    const { storage, beside, there } = await halfway()
    for (const id of there.slice(0, -1)) await beside.thread(id).delete()
    const last = beside.thread<number[]>(there.at(-1) ?? '')
    await last.save([9])
    await last.prune({ keepLast: 1 })
    await expectWhole(storage, ALL - there.length + 1)
  })

  it('a prune of each that can be seen leaves what is to come whole', async () => {
    const { storage, beside, there } = await halfway()
    for (const id of there) {
      await beside.thread<number[]>(id).save([9])
      await beside.thread(id).prune({ keepLast: 1 })
    }
    await expectWhole(storage, ALL)
  })

  it('where a row of what is to come cannot be read, nothing goes that it may show', async () => {
    const { storage, beside, there } = await halfway()
    const [row] = (await staged(storage)) as Row[]
    const partition = (await storage.partitions({ limit: 9 })).find((name) => name.startsWith('i:')) ?? ''
    if (!row) throw new Error('Nothing is staged.')
    await storage.commit(partition, { puts: [{ table: 'meta', key: row.key, head: 'damaged' }] })
    for (const id of there) await beside.thread(id).delete()
    await storage.commit(partition, { puts: [{ table: 'meta', key: row.key, head: row.head }] })
    await expectWhole(storage, ALL - there.length)
  })
})

describe('a name that is taken between the commits of one family, and is to be refused', () => {
  /** Before the third commit somebody takes a name that it would give, after doing something else. */
  const racing = (storage: Storage, first: (checkpointer: Checkpointer) => Promise<unknown>): Storage => {
    let number = 0
    return asked(storage, async (partition, batch) => {
      if (!showsThreads(partition, batch) || ++number !== 3) return
      const other = await open(unclaimed(storage))
      await first(other)
      await other.thread(threadIn(batch)).save('mine')
    })
  }
  /** One that opens beside it must not go on with it. */
  const unclaimed = (storage: Storage): Storage => ({
    ...asked(storage, async () => {}),
    read: async (partition, queries) =>
      (await storage.read(partition, queries)).map((rows) => rows.filter(({ key }) => key[0] !== 'import')),
  })
  const threadIn = ({ puts = [] }: Batch): string =>
    unescapeId(String(puts.find(({ table }) => table === 'threads')?.key[0]))

  it('takes all back, also what the commits before have let be seen', async () => {
    const storage = kept(SMALL)
    const checkpointer = await open(racing(storage, async () => {}))
    await expect(checkpointer.import(await made(FORKS))).rejects.toMatchObject({ code: 'CONFLICT' })
    const [taken, ...others] = await idsIn(checkpointer)
    expect(others).toEqual([])
    expect(await storage.partitions({ limit: 10 })).toHaveLength(2)
    expect((await checkpointer.thread(taken ?? '').load())?.state).toBe('mine')
    expect(await importRows(storage)).toEqual([])
    expect(warnings).toEqual([])
  })

  it('leaves what somebody has gone on with, and nothing that nobody can see', async () => {
    const storage = kept(SMALL)
    const goOn = async (other: Checkpointer): Promise<unknown> => other.thread('a').save(['more'])
    const checkpointer = await open(racing(storage, goOn))
    await expect(checkpointer.import(await made(FORKS))).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await checkpointer.thread('a').load())?.state).toEqual(['more'])
    expect([await importRows(storage), await staged(storage)]).toEqual([[], []])
    expect(warnings).toMatchObject([{ code: 'CONFLICT' }])
    for (const id of await idsIn(checkpointer)) await checkpointer.thread(id).delete()
    expect(await checkpointer.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
  })
})

describe('whoever gives up an import while its last page is answered', () => {
  const last = async (): Promise<ImportPageRequest> => ({
    id: 'one',
    page: 0,
    bytes: new Uint8Array(await (await made(FORKS)).arrayBuffer()),
    isLast: true,
    onConflict: 'refuse',
    bounds: { bytes: 1e9, ratio: 100, lines: 1e6 },
  })
  /** Whoever comes waits until it is opened. */
  function gate() {
    let open = (): void => {}
    let reach = (): void => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    const reached = new Promise<void>((resolve) => (reach = resolve))
    const wait = (): Promise<void> => (reach(), opened)
    return { reached, wait, open: () => open() }
  }
  function held(storage: Storage, fits: (partition: string, batch: Batch) => boolean) {
    const { reached, wait, open: letGo } = gate()
    const holding = asked(storage, async (partition, batch) => fits(partition, batch) && (await wait()))
    return { holding, reached, letGo }
  }

  it('takes nothing back once it is decided', async () => {
    const storage = kept(SMALL)
    const { holding, reached, letGo } = held(storage, showsThreads)
    const host = await createHost({ storage: holding })
    const importing = host.importPage(await last())
    await reached
    await host.endCarry({ id: 'one' })
    letGo()
    expect((await importing).imported?.threads).toHaveLength(ALL)
    await expectAll(await open(storage), storage)
  })

  it('takes nothing back either when it is just being decided', async () => {
    const storage = kept(SMALL)
    const { holding, reached, letGo } = held(storage, isPublishing)
    const host = await createHost({ storage: holding })
    const importing = host.importPage(await last())
    await reached
    const ended = host.endCarry({ id: 'one' })
    letGo()
    expect((await importing).imported?.threads).toHaveLength(ALL)
    await ended
    await expectAll(await open(storage), storage)
  })

  it('before that takes all back: it cannot be decided any more', async () => {
    const storage = kept(SMALL)
    const [named, over] = [gate(), gate()]
    let isStaged = false
    const slow: Storage = {
      ...asked(storage, async (partition, { puts = [], deleteRanges = [] }) => {
        isStaged ||= partition.endsWith(':1') && puts.some(({ key }) => key[0] === 'staged')
        // Whoever clears up has put the import's row, and not removed it, when it could be decided.
        if (deleteRanges.length > 0) await over.wait()
      }),
      async locate(key) {
        if (isStaged) await named.wait()
        return storage.locate(key)
      },
    }
    const host = await createHost({ storage: slow })
    const importing = host.importPage(await last())
    const refused = expect(importing).rejects.toMatchObject({ code: 'FAILED' })
    await named.reached
    const ended = host.endCarry({ id: 'one' })
    const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))
    await aWhile()
    named.open()
    await aWhile()
    over.open()
    await refused
    await ended
    expect(await storage.partitions({ limit: 10 })).toEqual([''])
    expect(await importRows(storage)).toEqual([])
  })
})
