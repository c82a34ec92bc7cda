import {
  CheckpointerError,
  openCheckpointer,
  type Checkpointer,
  type Host,
  type SaveOptions,
} from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'

/** What becomes of the next calls of one verb: carried out and never answered, or never heard of. */
type Fate = 'landed' | 'not landed'
type Losing = Pick<Host, 'save' | 'fork' | 'copy'>

async function opened() {
  const fates: Fate[] = []
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const host = await createHost({ storage })
  const losing =
    <Request, Reply>(run: (request: Request) => Promise<Reply>) =>
    async (request: Request): Promise<Reply> => {
      const fate = fates.shift()
      if (fate === undefined) return run(request)
      if (fate === 'landed') await run(request)
      throw new CheckpointerError('WORKER_LOST', 'Lost.', { outcome: 'unknown' })
    }
  const lossy: Losing = { save: losing(host.save), fork: losing(host.fork), copy: losing(host.copy) }
  const checkpointer = await openCheckpointer({ name: 'retry', host: { ...host, ...lossy } })
  const other = await openCheckpointer({ name: 'retry', storage })
  return { checkpointer, other, fates }
}

const lost = (call: Promise<unknown>): Promise<void> =>
  expect(call).rejects.toMatchObject({ code: 'WORKER_LOST' })

async function states(checkpointer: Checkpointer, id = 't'): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const { state } of checkpointer.thread(id).history({ states: true, order: 'oldest' }))
    found.push(state)
  expect((await checkpointer.verify()).problems).toEqual([])
  return found
}

describe.each(['landed', 'not landed'] as const)('a save that %s before its worker was lost', (fate) => {
  const fields = { node: 'plan', step: 1, next: ['act'], extra: { at: new Date(3) } }
  const options: [string, given: SaveOptions, told?: object][] = [
    ['nothing', {}],
    ['fields', fields, fields],
    ['expect', { expect: 1 }],
    ['parent', { parent: 1 }],
    ['no parent', { parent: null }],
    ['an id', { id: 'mine' }, { id: 'mine' }],
    ['an id and expect', { id: 'mine', expect: 1 }, { id: 'mine' }],
  ]

  it.each(options)('is stored once when it is called for again, with %s', async (_, given, told) => {
    const { checkpointer, fates } = await opened()
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    fates.push(fate)
    await lost(thread.save({ n: 2 }, given))
    expect(await thread.save({ n: 2 }, given)).toMatchObject({ seq: 2, ...told })
    expect(await states(checkpointer)).toEqual([{ n: 1 }, { n: 2 }])
    await thread.save({ n: 3 })
    expect(await states(checkpointer)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('is stored once however often the retry is lost as well', async () => {
    const { checkpointer, fates } = await opened()
    const thread = checkpointer.thread('t')
    fates.push(fate, 'not landed', fate)
    for (let i = 0; i < 3; i++) await lost(thread.save('same'))
    expect((await thread.save('same')).seq).toBe(1)
    expect(await states(checkpointer)).toEqual(['same'])
  })

  it('is stored once with others that were lost beside it', async () => {
    const { checkpointer, fates } = await opened()
    const thread = checkpointer.thread('t')
    const all = ['a', 'b', 'b', 'c']
    fates.push(fate, fate, fate, fate)
    await Promise.all(all.map((state) => lost(thread.save(state))))
    await Promise.all(all.map((state) => thread.save(state)))
    expect(await states(checkpointer)).toEqual(all)
  })

  it('is no measure for an equal state after something else', async () => {
    const { checkpointer, fates } = await opened()
    const thread = checkpointer.thread('t')
    fates.push(fate)
    await lost(thread.save('a'))
    await thread.save('b')
    await thread.save('a')
    const all = await states(checkpointer)
    expect(all).toEqual(fate === 'landed' ? ['a', 'b', 'a'] : ['b', 'a'])
  })

  it('is no measure for an equal state once the caller has seen what another has made of the head', async () => {
    const { checkpointer, other, fates } = await opened()
    const thread = checkpointer.thread('t')
    fates.push(fate)
    await lost(thread.save('a'))
    await other.thread('t').save('b')
    expect((await thread.load())?.state).toBe('b')
    await thread.save('a')
    expect((await thread.load())?.state).toBe('a')
  })

  it('is refused when it never landed and another was first', async () => {
    const { checkpointer, other, fates } = await opened()
    const thread = checkpointer.thread('t')
    fates.push(fate)
    await lost(thread.save('a', { expect: null }))
    const again = (): Promise<unknown> => thread.save('a', { expect: null })
    if (fate === 'landed') {
      await other.thread('t').save('b')
      expect(await again()).toMatchObject({ seq: 1 })
    } else {
      await other.thread('t').save('b')
      await expect(again()).rejects.toMatchObject({ code: 'CONFLICT', seq: 1 })
    }
  })

  it('says so when a fork alone still shows it', async () => {
    const { checkpointer, other, fates } = await opened()
    const thread = checkpointer.thread('t')
    fates.push(fate)
    await lost(thread.save('a'))
    if (fate === 'landed') {
      await other.thread('t').fork({ as: 'f' })
      await other.thread('t').deleteCheckpoints([1])
      await expect(thread.save('a')).rejects.toMatchObject({ code: 'CONFLICT' })
    }
    // A refusal settles it.
    await thread.save('a')
    expect(await states(checkpointer)).toEqual(['a'])
  })

  it.each([
    ['a name', { as: 'f' }],
    ['none', {}],
    ['an edit', { edit: () => 'edited' }],
  ])('is what a fork is too, with %s', async (_, given) => {
    const { checkpointer, fates } = await opened()
    const thread = checkpointer.thread<string>('t')
    await thread.save('a')
    fates.push(fate)
    await lost(thread.fork(given))
    const fork = await thread.fork(given)
    const ids: string[] = []
    for await (const { id } of checkpointer.threads()) ids.push(id)
    expect(ids.sort()).toEqual(['t', fork.id].sort())
    expect((await fork.load())?.state).toBe('edit' in given ? 'edited' : 'a')
    // What was acknowledged is not taken for a retry.
    if ('as' in given) await expect(thread.fork(given)).rejects.toMatchObject({ code: 'CONFLICT' })
    else expect((await thread.fork(given)).id).not.toBe(fork.id)
  })

  it('is what a copy is too', async () => {
    const { checkpointer, fates } = await opened()
    const thread = checkpointer.thread('t')
    await thread.save('a')
    fates.push(fate)
    await lost(thread.copy('c'))
    await thread.copy('c')
    expect(await states(checkpointer, 'c')).toEqual(['a'])
    await expect(thread.copy('c')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

it.each([{}, { expect: 1 }, { parent: 1 }, { id: 'mine' }, { id: 'mine', expect: 1 }])(
  'a message that is delivered twice on its way stores once, and says so both times, with %j',
  async (given) => {
    const storage = Object.assign(memoryStorage(), { close: async () => {} })
    const host = await createHost({ storage })
    const twice = <Request, Reply>(run: (request: Request) => Promise<Reply>) => {
      return async (request: Request): Promise<Reply> => {
        const first = await run(request)
        const second = await run(request)
        expect(second).toEqual(first)
        return second
      }
    }
    const checkpointer = await openCheckpointer({ name: 'twice', host: { ...host, save: twice(host.save) } })
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    expect((await thread.save({ n: 2 }, given)).seq).toBe(2)
    await expect(thread.save({ n: 3 }, { expect: 1 })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await states(checkpointer)).toEqual([{ n: 1 }, { n: 2 }])
    expect((await checkpointer.thread('new').save({ n: 0 }, { expect: null })).seq).toBe(1)
    const work = vi.fn(() => 1)
    const { status } = await checkpointer
      .thread<{ done: number }>('run')
      .run({ initial: { done: 0 } }, async (loop) => {
        loop.state.done += await loop.step('one', work)
        await loop.save()
      })
    expect([status, work.mock.calls.length]).toEqual(['finished', 1])
  },
)

async function forks(checkpointer: Checkpointer): Promise<string[]> {
  const found: string[] = []
  for await (const { id, forkOf } of checkpointer.threads()) if (forkOf) found.push(id)
  return found
}

/** After each of these a call for the same fork or copy means what is there then. */
const since: [string, change: (one: Checkpointer, other: Checkpointer) => Promise<unknown>][] = [
  ['a save', (one) => one.thread('t').save('b')],
  [
    'a load that shows another head',
    async (one, other) => {
      await other.thread('t').save('b')
      await one.thread('t').load()
    },
  ],
  ['writes of a task', (one) => one.thread('t').putWrites(2, 'task', [{ channel: 'c', value: 1 }])],
  ['a prune', (one) => one.thread('t').prune({ keepLast: 1 })],
  ['a deletion of checkpoints', (one) => one.thread('t').deleteCheckpoints([2])],
  ['a deletion of a run', (one) => one.thread('t').deleteRun('run')],
  [
    'a deletion of the thread',
    async (one) => {
      await one.thread('t').delete()
      await one.thread('t').save('b')
    },
  ],
]

describe.each(since)('%s settles what was unsure before it', (_, change) => {
  const begun = async (): Promise<Awaited<ReturnType<typeof opened>>> => {
    const ground = await opened()
    const thread = ground.checkpointer.thread('t')
    await thread.save('a0')
    await thread.save('a', { runId: 'run' })
    ground.fates.push('landed')
    return ground
  }

  it('for a fork', async () => {
    const { checkpointer, other } = await begun()
    const thread = checkpointer.thread('t')
    await lost(thread.fork())
    const before = await forks(checkpointer)
    expect(before).toHaveLength(1)
    await change(checkpointer, other)
    expect(before).not.toContain((await thread.fork()).id)
  })

  it('for a copy', async () => {
    const { checkpointer, other } = await begun()
    const thread = checkpointer.thread('t')
    await lost(thread.copy('c'))
    await change(checkpointer, other)
    await expect(thread.copy('c')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

it('an equal state after one that was acknowledged is a checkpoint of its own', async () => {
  const { checkpointer } = await opened()
  const thread = checkpointer.thread('t')
  await thread.save('a')
  await thread.save('a')
  expect(await states(checkpointer)).toEqual(['a', 'a'])
})
