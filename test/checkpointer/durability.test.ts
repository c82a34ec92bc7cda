import { CheckpointerError, openCheckpointer, type OpenOptions, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { localEvents } from '../../src/tabs/events.ts'
import { storageHost } from '../../src/worker/in-process.ts'
import { countingStorage } from '../bench/counting-storage.ts'

/** What becomes of saves that were taken and cannot be written, or not yet. The laws say what holds otherwise. */
interface Switch {
  /** What a commit fails with, for as long as it is there. */
  fails?: Error | undefined
  /** Commits wait for this. */
  gate?: Promise<void> | undefined
}

function switched(inner: Storage): {
  storage: Storage
  now: Switch
  counts: ReturnType<typeof countingStorage>['counts']
} {
  const now: Switch = {}
  const { storage, counts } = countingStorage(inner)
  return {
    now,
    counts,
    storage: {
      ...storage,
      async commit(partition, batch) {
        await now.gate
        if (now.fails) throw now.fails
        return storage.commit(partition, batch)
      },
      close: async () => {},
    },
  }
}

interface Opened extends ReturnType<typeof switched> {
  readonly open: (durability: OpenOptions['durability']) => ReturnType<typeof openCheckpointer>
  readonly warnings: CheckpointerError[]
}

function ground(): Opened {
  const warnings: CheckpointerError[] = []
  const { storage, now, counts } = switched(memoryStorage())
  const open: Opened['open'] = async (durability) => {
    const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
    const checkpointer = await openCheckpointer({ name: 'd', storage, durability, onWarning })
    onTestFinished(async () => {
      now.fails = undefined
      await checkpointer.close().catch(() => undefined)
    })
    return checkpointer
  }
  return { storage, now, counts, open, warnings }
}

const full = (): Error => Object.assign(new Error('no room'), { name: 'QuotaExceededError' })
const rejected = (work: Promise<unknown>): Promise<CheckpointerError> =>
  work.then(
    () => expect.unreachable('it went through'),
    (error: unknown) => error as CheckpointerError,
  )

/** So many turns of the event loop, in which a queue in memory would long have been written. */
async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}

async function seqs(open: Opened['open'], id = 't'): Promise<number[]> {
  const found: number[] = []
  const other = await open('sync')
  for await (const { seq } of other.thread(id).history({ order: 'oldest' })) found.push(seq)
  return found
}

it.each(['sync', 'async', 'exit'] as const)(
  'flush and close save what was held back, %s',
  async (durability) => {
    const checkpointer = await openCheckpointer({ name: 'held', storage: memoryStorage(), durability })
    const thread = checkpointer.thread<{ n: number }>('t')
    let n = 0
    const flush = async (): Promise<void> => void (await thread.save({ n: ++n }))
    checkpointer.holdsBack({ hurry: () => {}, flush })
    await checkpointer.flush()
    expect((await thread.load())?.state).toEqual({ n: 1 })
    await checkpointer.close()
    expect(n).toBe(2)
    expect(() => checkpointer.holdsBack({ hurry: () => {}, flush })).toThrow(
      expect.objectContaining({ code: 'CLOSED' }),
    )
  },
)

describe('async', () => {
  it('writes what was saved in one go in one commit', async () => {
    const { open, counts } = ground()
    const checkpointer = await open('async')
    const before = counts.commits
    await Promise.all(Array.from({ length: 100 }, (_, n) => checkpointer.thread('t').save({ n })))
    await checkpointer.flush()
    // One for all of them, and one that makes it durable.
    expect(counts.commits - before).toBe(2)
    await checkpointer.flush()
    expect(counts.commits - before).toBe(2)
    expect(await seqs(open)).toHaveLength(100)
  })

  it('gathers what comes while a commit is under way', async () => {
    const { open, now, counts } = ground()
    const thread = (await open('async')).thread('t')
    await thread.save({ n: 0 })
    let go = (): void => {}
    now.gate = new Promise((resolve) => (go = resolve))
    const before = counts.commits
    for (let n = 1; n < 60; n++) {
      await thread.save({ n })
      if (n % 20 === 0) await turns(2)
    }
    now.gate = undefined
    go()
    await thread.load()
    expect(counts.commits - before).toBeLessThanOrEqual(3)
    expect(await seqs(open)).toHaveLength(60)
  })

  it('lets a save wait for room when very many are not written yet, by number and by size', async () => {
    for (const size of ['small', 'large']) {
      const { open, now } = ground()
      const thread = (await open('async')).thread('t')
      await thread.save({ n: 0 })
      let go = (): void => {}
      now.gate = new Promise((resolve) => (go = resolve))
      let taken = 0
      const saving = (async () => {
        for (let n = 1; n <= 400; n++) {
          await thread.save({ n, state: `${n},`.repeat(size === 'small' ? 1 : 30_000) })
          taken = n
        }
      })()
      await turns(40)
      expect(taken).toBeLessThanOrEqual(size === 'small' ? 257 : 60)
      expect(taken).toBeGreaterThan(30)
      now.gate = undefined
      go()
      await saving
      expect(await thread.load()).toMatchObject({ seq: 401, state: { n: 400 } })
    }
  })

  it('keeps what could not be written, says so once each way, and writes it when that can be done', async () => {
    const { open, now, warnings } = ground()
    const checkpointer = await open('async')
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await checkpointer.flush()
    now.fails = full()
    await thread.save({ n: 2 })
    await thread.save({ n: 3 })
    await turns()
    expect(warnings.map(({ code, thread: id }) => [code, id])).toEqual([['FAILED', 't']])
    expect(await rejected(thread.save({ n: 99 }))).toMatchObject({
      code: 'FAILED',
      outcome: 'none',
      thread: 't',
    })
    await thread.save({ n: 4 })
    expect(await rejected(checkpointer.flush())).toMatchObject({ code: 'FAILED' })
    expect(await rejected(thread.load())).toMatchObject({ code: 'FAILED' })
    // What makes room must go on.
    expect((await checkpointer.usage()).checkpoints).toBe(1)
    expect(await seqs(open)).toEqual([1])
    now.fails = undefined
    await checkpointer.flush()
    expect(warnings).toHaveLength(1)
    expect(await seqs(open)).toEqual([1, 2, 3, 4])
    expect((await thread.load(3))?.state).toEqual({ n: 3 })
  })

  it('tries again by itself', async () => {
    const { open, now } = ground()
    const thread = (await open('async')).thread('t')
    await thread.save({ n: 1 })
    now.fails = full()
    await thread.save({ n: 2 })
    await turns()
    now.fails = undefined
    await expect.poll(() => seqs(open), { timeout: 5_000 }).toEqual([1, 2])
  })

  it('recognises what was stored though the answer said that it failed', async () => {
    const { open, storage } = ground()
    const warnings: CheckpointerError[] = []
    const host = await storageHost(storage, localEvents(), () => {}, undefined)
    let lost = 0
    const saveMany: typeof host.saveMany = async (request) => {
      const reply = await host.saveMany(request)
      if (lost++ === 0) throw new CheckpointerError('WORKER_LOST', 'Gone.', { outcome: 'unknown' })
      return reply
    }
    const checkpointer = await openCheckpointer({
      name: 'd',
      host: { ...host, saveMany },
      durability: 'async',
      onWarning: (warning) => void warnings.push(warning),
    })
    await Promise.all([1, 2, 3].map((n) => checkpointer.thread('t').save({ n })))
    await turns()
    expect(warnings).toMatchObject([{ code: 'WORKER_LOST', thread: 't' }])
    expect(await rejected(checkpointer.thread('t').save({ n: 4 }))).toMatchObject({ outcome: 'none' })
    await checkpointer.flush()
    expect(lost).toBe(2)
    expect(await seqs(open)).toEqual([1, 2, 3])
    await checkpointer.close()
  })

  it('leaves time for all else, however often a caller whom it refuses calls again', async () => {
    const { open, now } = ground()
    const thread = (await open('async')).thread('t')
    await thread.save({ n: 0 })
    now.fails = full()
    let isLater = false
    setTimeout(() => {
      now.fails = undefined
      isLater = true
    }, 300)
    let refused = 0
    for (let n = 1; n <= 400 && refused < 1_000; n++)
      while (refused < 1_000)
        try {
          await thread.save({ n })
          break
        } catch {
          refused++
        }
    expect(isLater).toBe(true)
    expect(refused).toBeLessThan(100)
    await thread.load()
    expect((await seqs(open)).length).toBe(401)
  })

  it.each(['async', 'exit'] as const)(
    'tells what comes of a save behind the head of another that was loaded: %s',
    async (durability) => {
      const { open, warnings } = ground()
      const [one, two] = [await open(durability), await open(durability)]
      for (let n = 1; n <= 6; n++) {
        const checkpointer = n % 2 ? one : two
        const thread = checkpointer.thread('t')
        const head = await thread.load()
        const told = await thread.save({ n })
        await checkpointer.flush()
        expect([told.seq, told.parentId]).toEqual([n, head?.id])
      }
      expect(warnings).toEqual([])
    },
  )

  it('refuses what is beyond the bound while nothing can be written, rather than wait for ever', async () => {
    const { open, now } = ground()
    const thread = (await open('async')).thread('t')
    await thread.save({ n: 0 })
    now.fails = full()
    const refused: CheckpointerError[] = []
    for (let n = 1; n <= 300; n++) {
      await thread.save({ n }).catch((error: unknown) => refused.push(error as CheckpointerError))
      if (n === 1) await turns()
    }
    expect(refused.length).toBeGreaterThan(40)
    expect(new Set(refused.map(({ code, outcome }) => `${code} ${outcome}`))).toEqual(
      new Set(['FAILED none']),
    )
    now.fails = undefined
    await thread.load()
    expect((await seqs(open)).length).toBe(301 - refused.length)
  })

  it('stores what waits behind a removal while very many other places are saved to, before a flush resolves', async () => {
    const { open, storage } = ground()
    const host = await storageHost(storage, localEvents(), () => {}, undefined)
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    const slow: typeof host = {
      ...host,
      async prune(request) {
        await gate
        return host.prune(request)
      },
      async saveMany(request) {
        if (request.thread === 't') await turns(5)
        return host.saveMany(request)
      },
    }
    const checkpointer = await openCheckpointer({ name: 'd', host: slow, durability: 'async' })
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await checkpointer.flush()
    const pruned = thread.prune({ keepLast: 5 })
    const saved = thread.save({ n: 2 })
    for (let n = 0; n < 300; n++) await checkpointer.thread(`other ${n}`).save({ n })
    const flushed = checkpointer.flush()
    go()
    await flushed
    expect(await seqs(open)).toEqual([1, 2])
    await Promise.all([pruned, saved])
    await checkpointer.close()
  })

  it('tells of a save that was dropped however many other places were saved to since', async () => {
    const limits = { valueBytes: 60_000, commitBytes: 800_000, operations: 200 }
    const storage = memoryStorage({ limits })
    const onWarning = (): void => {}
    const checkpointer = await openCheckpointer({ name: 'd', storage, durability: 'async', onWarning })
    await checkpointer.thread('t').save({ n: 1 })
    await checkpointer.thread('t').save({ n: 2 }, { extra: { large: 'x'.repeat(70_000) } })
    await turns()
    for (let n = 0; n < 300; n++) {
      await checkpointer.thread(`other ${n}`).save({ n })
      await turns(1)
    }
    expect(await rejected(checkpointer.flush())).toMatchObject({ code: 'TOO_LARGE', thread: 't' })
    await checkpointer.close()
  })

  it('sends nothing of a thread that is being deleted, so that it does not come back', async () => {
    const { open, storage } = ground()
    const host = await storageHost(storage, localEvents(), () => {}, undefined)
    let isFailing = true
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    const late: typeof host = {
      ...host,
      async saveMany(request) {
        if (isFailing) throw new CheckpointerError('QUOTA', 'No room.')
        return host.saveMany(request)
      },
      async deleteThread(request) {
        const wasThere = await host.deleteThread(request)
        await gate
        return wasThere
      },
    }
    const onWarning = (): void => {}
    const checkpointer = await openCheckpointer({ name: 'd', host: late, durability: 'async', onWarning })
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await turns()
    const deleted = thread.delete()
    await turns()
    isFailing = false
    // Longer than it is waited for before another try.
    await new Promise((resolve) => setTimeout(resolve, 500))
    go()
    await deleted
    await checkpointer.close()
    expect(await seqs(open)).toEqual([])
  })

  it.each([false, true, 'plan'] as const)(
    'checks what was saved before, with the repair %s',
    async (repair) => {
      const { now, open } = ground()
      const checkpointer = await open('async')
      let go = (): void => {}
      now.gate = new Promise((resolve) => (go = resolve))
      await checkpointer.thread('t').save({ n: 1 })
      const checking = checkpointer.verify({ repair })
      await turns()
      go()
      const { checked, problems } = await checking
      expect(problems).toEqual([])
      expect(checked).toBe((await checkpointer.verify()).checked)
    },
  )

  it('drops a save that can never be written, tells which, and goes on with those behind it', async () => {
    const warnings: CheckpointerError[] = []
    const storage = memoryStorage({ limits: { valueBytes: 60_000, commitBytes: 800_000, operations: 200 } })
    const checkpointer = await openCheckpointer({
      name: 'd',
      storage,
      durability: 'async',
      onWarning: (warning) => void warnings.push(warning),
    })
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    const [, lost] = await Promise.all([
      thread.save({ n: 2 }),
      thread.save({ n: 3 }, { extra: { large: 'x'.repeat(70_000) } }),
      thread.save({ n: 4 }),
    ])
    expect(await rejected(checkpointer.flush())).toMatchObject({ code: 'TOO_LARGE' })
    expect(warnings[0]?.message).toContain(lost.id)
    expect(warnings.map(({ code }) => code)).toEqual(['TOO_LARGE', 'CONFLICT'])
    await checkpointer.flush()
    expect(await thread.load(lost.id)).toBeUndefined()
    expect(await thread.load()).toMatchObject({ seq: 3, state: { n: 4 } })
    await checkpointer.close()
  })

  it('says when another writer came between, and under which seq a save now is', async () => {
    const { open, warnings } = ground()
    const one = await open('async')
    const two = await open('sync')
    await one.thread('t').save({ n: 1 })
    await one.flush()
    await two.thread('t').save({ n: 'between' })
    const told = await one.thread('t').save({ n: 2 })
    expect(told.seq).toBe(2)
    await one.flush()
    expect(warnings).toMatchObject([{ code: 'CONFLICT', thread: 't', seq: 3 }])
    expect(warnings[0]?.message).toContain(told.id)
    expect(await one.thread('t').load(told.id)).toMatchObject({ seq: 3, state: { n: 2 } })
    // From there on it knows.
    expect((await one.thread('t').save({ n: 3 })).seq).toBe(4)
  })

  it('rejects a close that leaves something unwritten, and has closed', async () => {
    const { open, now } = ground()
    const checkpointer = await open('async')
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await checkpointer.flush()
    now.fails = full()
    await thread.save({ n: 2 })
    expect(await rejected(checkpointer.close())).toMatchObject({ code: 'FAILED' })
    expect(await rejected(thread.save({ n: 3 }))).toMatchObject({ code: 'CLOSED' })
  })

  it('gives up what could not be written when its thread is deleted', async () => {
    const { open, now } = ground()
    const checkpointer = await open('async')
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await checkpointer.flush()
    now.fails = full()
    await thread.save({ n: 2 })
    await rejected(thread.delete())
    now.fails = undefined
    await thread.delete()
    await checkpointer.flush()
    expect(await seqs(open)).toEqual([])
    expect((await thread.save({ n: 3 })).seq).toBe(1)
  })
})

describe('exit', () => {
  it('commits nothing before it is flushed, and then one state as one delta', async () => {
    const { open, counts } = ground()
    const first = await open('sync')
    const long = Array.from({ length: 200 }, (_, i) => `line ${i}`)
    await first.thread('t').save({ long, n: 0 })
    const checkpointer = await open('exit')
    const thread = checkpointer.thread<{ long: string[]; n: number }>('t')
    const { state } = (await thread.load()) ?? { state: { long: [], n: 0 } }
    const before = { ...counts }
    for (let n = 1; n <= 50; n++) expect(await thread.save({ ...state, n })).toMatchObject({ seq: 2 })
    await turns()
    expect(counts.commits).toBe(before.commits)
    await checkpointer.flush()
    expect(counts.commits - before.commits).toBe(2)
    expect(counts.bytesPut - before.bytesPut).toBeLessThan(2_000)
    expect((await first.thread('t').load())?.state).toEqual({ long, n: 50 })
  })
})
