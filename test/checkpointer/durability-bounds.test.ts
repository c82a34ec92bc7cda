import { openCheckpointer, type CheckpointerError, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { countingStorage } from '../bench/counting-storage.ts'

/** What a commit meets: gone through one by one, so that each test says what fails, and what waits. */
type Meets = (batch: Parameters<Storage['commit']>[1]) => Promise<void> | void

async function opened() {
  const { storage: inner } = countingStorage(memoryStorage())
  const now: { meets: Meets | undefined } = { meets: undefined }
  const warnings: CheckpointerError[] = []
  const storage: Storage = {
    ...inner,
    async commit(partition, batch) {
      await now.meets?.(batch)
      return inner.commit(partition, batch)
    },
    close: async () => {},
  }
  const open = async (durability: 'sync' | 'async') => {
    const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
    const checkpointer = await openCheckpointer({ name: 'd', storage, durability, onWarning })
    onTestFinished(async () => {
      now.meets = undefined
      await checkpointer.close().catch(() => undefined)
    })
    return checkpointer
  }
  return { now, open, warnings, checkpointer: await open('async') }
}

type Opened = Awaited<ReturnType<typeof opened>>

async function turns(count = 40): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}

function gate(): { readonly shut: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const shut = new Promise<void>((resolve) => (open = resolve))
  return { shut, open }
}

const isAbout = (thread: string, batch: Parameters<Meets>[0]): boolean =>
  (batch.puts ?? []).some(({ table, key }) => table === 'threads' && key.includes(thread))

describe('one place that cannot be written', () => {
  it('leaves the bound of the others, and their room, as they are', async () => {
    const { now, checkpointer } = await opened()
    const broken = checkpointer.thread('broken')
    const thread = checkpointer.thread('well')
    await broken.save({ n: 0 })
    await thread.save({ n: 0 })
    await checkpointer.flush()
    const slow = gate()
    now.meets = async (batch) => {
      if (isAbout('broken', batch)) throw new Error('cannot')
      await slow.shut
    }
    await broken.save({ n: 1 })
    await turns()
    // All the room there is.
    for (let n = 2; n <= 300; n++) await broken.save({ n }).catch(() => undefined)
    let taken = 0
    const saving = (async () => {
      for (let n = 1; n <= 400; n++) {
        await thread.save({ n })
        taken = n
      }
    })()
    await turns()
    expect(taken).toBeGreaterThan(200)
    expect(taken).toBeLessThanOrEqual(257)
    slow.open()
    await saving
    expect(await thread.load()).toMatchObject({ seq: 401, state: { n: 400 } })
  })
})

describe('flush', () => {
  it('does not resolve while another one makes it durable, which may yet fail', async () => {
    const { now, checkpointer } = await opened()
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await thread.load()
    const slow = gate()
    now.meets = async ({ relaxed }) => {
      if (relaxed) return
      await slow.shut
      throw new Error('disk')
    }
    const ended: string[] = []
    const ways = ['flush', 'flush', 'close'] as const
    const ending = ways.map((way) =>
      checkpointer[way]().then(
        () => ended.push(`${way} resolved`),
        () => ended.push(`${way} rejected`),
      ),
    )
    await turns()
    expect(ended).toEqual([])
    slow.open()
    await Promise.all(ending)
    expect(ended).toEqual(ways.map((way) => `${way} rejected`))
  })
})

describe('a page that is hidden while a commit is under way', () => {
  async function hidden(meets: (count: number) => void, ready?: (open: Opened['open']) => Promise<unknown>) {
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
    const target = new EventTarget()
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
    vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
    vi.stubGlobal('document', document)
    onTestFinished(() => void vi.unstubAllGlobals())
    const { now, open, checkpointer, warnings } = await opened()
    const thread = checkpointer.thread('t')
    await thread.save('first')
    await checkpointer.flush()
    await ready?.(open)
    const slow = gate()
    let count = 0
    now.meets = async (batch) => {
      await slow.shut
      if (isAbout('t', batch)) meets(++count)
    }
    await thread.save('A')
    await turns(2)
    // From another checkpoint than the one that is under way, so that its delta does not stand on it.
    for (let i = 0; i < 20; i++) await checkpointer.thread(`o${i}`).save({ i })
    await thread.save('B')
    await thread.save('C')
    document.visibilityState = 'hidden'
    document.dispatchEvent(new Event('visibilitychange'))
    slow.open()
    await turns()
    await checkpointer.flush().catch(() => undefined)
    await checkpointer.flush()
    const states: unknown[] = []
    for await (const { state } of thread.history({ order: 'oldest', states: true })) states.push(state)
    return { states, warnings }
  }

  it('keeps the order when that commit fails', async () => {
    const { states, warnings } = await hidden((count) => {
      if (count === 1) throw Object.assign(new Error('no room'), { name: 'QuotaExceededError' })
    })
    expect(states).toEqual(['first', 'A', 'B', 'C'])
    expect(warnings.map(({ code }) => code)).not.toContain('CONFLICT')
  })

  it('stores all of them once, also behind what another tab has saved', async () => {
    const between = async (open: Opened['open']): Promise<unknown> =>
      (await open('sync')).thread('t').save('between')
    expect((await hidden(() => {})).states).toEqual(['first', 'A', 'B', 'C'])
    expect((await hidden(() => {}, between)).states).toEqual(['first', 'between', 'A', 'B', 'C'])
  })
})

describe('a seq that was told and became that of another tab', () => {
  async function shifted() {
    const { open, checkpointer } = await opened()
    const [mine, other] = [checkpointer.thread('t'), (await open('sync')).thread('t')]
    await mine.save('first')
    await checkpointer.flush()
    await other.save('of another tab')
    const told = await mine.save('mine')
    const states = async (): Promise<unknown[]> => {
      const found: unknown[] = []
      for await (const { state } of other.history({ order: 'oldest', states: true })) found.push(state)
      return found
    }
    return { checkpointer, mine, other, told, states }
  }

  it('is that of the save it was told for until that is stored', async () => {
    const { mine, told, states } = await shifted()
    await mine.deleteCheckpoints([told.seq])
    expect(await states()).toEqual(['first', 'of another tab'])
    const again = await shifted()
    await again.mine.putWrites(again.told.seq, 'task', [{ channel: 'c', value: 1 }])
    expect((await again.other.load(again.told.id))?.pendingWrites).toHaveLength(1)
    const third = await shifted()
    expect((await third.mine.load(third.told.seq))?.state).toBe('mine')
    const fourth = await shifted()
    expect((await (await fourth.mine.fork({ at: fourth.told.seq })).load())?.state).toBe('mine')
  })

  it('is refused from then on, and its id is not', async () => {
    const { checkpointer, mine, told, states } = await shifted()
    await checkpointer.flush()
    const { seq } = told
    const first = (): Promise<unknown> => mine.history({ before: seq })[Symbol.asyncIterator]().next()
    for (const call of [
      () => mine.load(seq),
      () => mine.load({ seq }),
      () => mine.fork({ at: seq }),
      () => mine.putWrites(seq, 'task', [{ channel: 'c', value: 1 }]),
      () => mine.deleteCheckpoints([1, seq]),
      () => mine.save('more', { parent: seq }),
      () => mine.save('more', { expect: seq }),
      first,
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'CONFLICT',
        thread: 't',
        seq: 3,
        message: expect.stringContaining(told.id),
      })
    expect(await states()).toEqual(['first', 'of another tab', 'mine'])
    await mine.deleteCheckpoints([told.id])
    expect(await states()).toEqual(['first', 'of another tab'])
  })
})
