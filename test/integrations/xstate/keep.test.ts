import 'fake-indexeddb/auto'
import { openCheckpointer, type CheckpointerError, type CheckpointInfo, type OpenOptions } from 'forkpoint'
import { followActor, keepActor, savedSnapshot } from 'forkpoint/xstate'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createActor, createMachine, fromPromise, setup, spawnChild, waitFor } from 'xstate'
import { fullable } from '../../support/fullable.ts'
import { orderMachine, type Pay } from '../../support/order-machine.ts'

/** Tabs on one database. */
function tabs(shared: Partial<OpenOptions> = {}) {
  const stored: OpenOptions = {
    name: `actors-${Math.random()}`,
    worker: false,
    onWarning: () => {},
    ...shared,
  }
  return async () => {
    const checkpointer = await openCheckpointer(stored)
    onTestFinished(() => checkpointer.close().catch(() => {}))
    const places = (namespace = '') => checkpointer.thread('order', { namespace })
    const errors: CheckpointerError[] = []
    const warnings: CheckpointerError[] = []
    const kept = {
      onError: (error: CheckpointerError) => void errors.push(error),
      onWarning: (warning: CheckpointerError) => void warnings.push(warning),
    }
    return { checkpointer, places, thread: places(), kept, errors, warnings }
  }
}
type Tab = Awaited<ReturnType<ReturnType<typeof tabs>>>

const never: Pay = () => new Promise<string>(() => {})

async function run({ thread, kept }: Tab, pay: Pay = never, at?: number, isStep?: Tab['places']) {
  const machine = orderMachine(pay, isStep)
  const actor = createActor(machine, await savedSnapshot(thread, at))
  const keeping = keepActor(thread, actor, kept)
  actor.start()
  onTestFinished(() => void actor.stop())
  return { machine, actor, flush: keeping.flush, stop: keeping.stop }
}

async function nodes({ thread }: Tab): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = []
  for await (const { node, extra } of thread.history({ order: 'oldest' }))
    found.push(`${node} ${String(extra?.['event'])}`)
  return found
}

/** Of each checkpoint its seq, and that of its parent. */
async function parents({ thread }: Tab): Promise<(number | undefined)[][]> {
  const infos: CheckpointInfo[] = []
  for await (const info of thread.history({ order: 'oldest' })) infos.push(info)
  return infos.map(({ seq, parentId }) => [seq, infos.find(({ id }) => id === parentId)?.seq])
}

describe('an actor', () => {
  it('goes on in another page where it was', async () => {
    const open = tabs()
    const first = await run(await open())
    first.actor.send({ type: 'add', item: 'bread' })
    first.actor.send({ type: 'add', item: 'wine' })
    await first.flush()
    const second = await run(await open(), async ({ input }) => `paid ${input.join()}`)
    expect(second.actor.getSnapshot().context.items).toEqual(['bread', 'wine'])
    second.actor.send({ type: 'pay' })
    await waitFor(second.actor, (snapshot) => snapshot.matches('paid'))
    await second.flush()
    const third = await run(await open())
    expect(third.actor.getSnapshot().context.receipt).toBe('paid bread,wine')
    third.actor.send({ type: 'pay' })
    await third.flush()
    const fourth = await run(await open())
    expect(fourth.actor.getSnapshot()).toMatchObject({ status: 'done', output: 'paid bread,wine' })
  })

  it('makes a checkpoint of each transition, and of what is none makes none', async () => {
    const tab = await tabs()()
    const { actor, flush } = await run(tab)
    for (const item of ['bread', 'wine']) actor.send({ type: 'add', item })
    actor.send({ type: 'again' })
    actor.send({ type: 'pay' })
    await flush()
    expect(await nodes(tab)).toEqual(['filling xstate.init', 'filling add', 'filling add', 'paying pay'])
  })

  it('that is restored makes no checkpoint until something happens', async () => {
    const open = tabs()
    const { flush } = await run(await open())
    await flush()
    const tab = await open()
    const second = await run(tab)
    await second.flush()
    second.actor.send({ type: 'pay' })
    await second.flush()
    expect(await nodes(tab)).toEqual(['filling xstate.init', 'paying pay'])
    expect([...tab.errors, ...tab.warnings]).toEqual([])
  })

  it('is saved with the actors in it, also when they alone have changed', async () => {
    const open = tabs()
    const { actor, flush } = await run(await open())
    await flush()
    actor.getSnapshot().children['counting']?.send({ type: 'tick' })
    await flush()
    const second = await run(await open())
    expect(second.actor.getSnapshot().children['counting']?.getSnapshot()).toMatchObject({
      context: { n: 1 },
    })
  })

  it('remembers few of its checkpoints, however many it makes', async () => {
    const tab = await tabs()()
    const sets = new Set<Set<unknown>>()
    const { add } = Set.prototype
    Set.prototype.add = function (this: Set<unknown>, value: unknown) {
      add.call(sets, this)
      return add.call(this, value)
    }
    onTestFinished(() => void (Set.prototype.add = add))
    const { actor, flush } = await run(tab)
    for (let n = 0; n < 100; n++) actor.send({ type: 'add', item: `${n}` })
    await flush()
    const ids: string[] = []
    for await (const { id } of tab.thread.history()) ids.push(id)
    expect(ids.length).toBe(101)
    for (const set of sets) expect(ids.filter((id) => set.has(id)).length).toBeLessThanOrEqual(64)
  })

  it('that has failed goes on from what was before', async () => {
    const tab = await tabs()()
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { go: 'b' } },
        b: {
          on: {
            fail: {
              actions: () => {
                throw new Error('mine')
              },
            },
          },
        },
      },
    })
    const actor = createActor(machine)
    const { flush } = keepActor(tab.thread, actor, tab.kept)
    actor.subscribe({ error: () => {} })
    actor.start()
    actor.send({ type: 'go' })
    actor.send({ type: 'fail' })
    await flush()
    expect(actor.getSnapshot().status).toBe('error')
    const next = createActor(machine, await savedSnapshot(tab.thread))
    expect(next.getSnapshot()).toMatchObject({ status: 'active', value: 'b' })
  })

  it('that was stopped, as with its component, goes on where it was', async () => {
    const open = tabs()
    const first = await run(await open())
    first.actor.send({ type: 'pay' })
    first.actor.stop()
    await first.flush()
    const pay = vi.fn(never)
    const { actor } = await run(await open(), pay)
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', value: 'paying' })
    expect(pay).toHaveBeenCalledTimes(1)
  })

  it('is kept no longer once that is stopped', async () => {
    const tab = await tabs()()
    const { actor, flush, stop } = await run(tab)
    await flush()
    stop()
    actor.send({ type: 'pay' })
    await flush()
    expect(await nodes(tab)).toEqual(['filling xstate.init'])
  })
})

describe('an earlier snapshot', () => {
  it('makes a branch of the same thread', async () => {
    const tab = await tabs()()
    const { actor, flush, stop } = await run(tab)
    for (const item of ['bread', 'wine']) actor.send({ type: 'add', item })
    await flush()
    stop()
    const back = await run(tab, never, 2)
    expect(back.actor.getSnapshot().context.items).toEqual(['bread'])
    back.actor.send({ type: 'add', item: 'cheese' })
    back.actor.send({ type: 'add', item: 'salt' })
    await back.flush()
    const infos = []
    for await (const info of tab.thread.history({ order: 'oldest' })) infos.push(info)
    expect(infos[3]?.parentId).toBe(infos[1]?.id)
    expect(infos[4]?.parentId).toBe(infos[3]?.id)
    expect((await run(tab)).actor.getSnapshot().context.items).toEqual(['bread', 'cheese', 'salt'])
    expect(tab.warnings).toEqual([])
  })

  it('makes that branch also when its first save fails, with all that came meanwhile behind it', async () => {
    const { storage, ...disk } = fullable()
    const tab = await tabs({ storage })()
    const { actor, flush, stop } = await run(tab)
    for (const item of ['bread', 'wine']) actor.send({ type: 'add', item })
    await flush()
    stop()
    const back = await run(tab, never, 2)
    disk.fill()
    back.actor.send({ type: 'add', item: 'cheese' })
    await vi.waitFor(() => expect(tab.errors).toMatchObject([{ code: 'QUOTA' }]))
    back.actor.send({ type: 'add', item: 'salt' })
    back.actor.send({ type: 'add', item: 'oil' })
    await expect(back.flush()).rejects.toMatchObject({ code: 'QUOTA' })
    disk.empty()
    await back.flush()
    back.actor.send({ type: 'pay' })
    await back.flush()
    expect(await parents(tab)).toEqual([
      [1, undefined],
      [2, 1],
      [3, 2],
      [4, 2],
      [5, 4],
    ])
    expect((await run(tab)).actor.getSnapshot().context.items).toEqual(['bread', 'cheese', 'salt', 'oil'])
    expect([tab.errors.length, tab.warnings]).toEqual([1, []])
  })

  it('of a branch whose first save fails, a transition beside it begins the branch', async () => {
    const { storage, ...disk } = fullable()
    const tab = await tabs({ storage })()
    const { actor, flush, stop } = await run(tab)
    for (const item of ['bread', 'wine']) actor.send({ type: 'add', item })
    await flush()
    stop()
    const back = await run(tab, never, 2)
    // Of the two that are under way at once only the first is refused.
    disk.fill({ times: 1 })
    back.actor.send({ type: 'add', item: 'cheese' })
    back.actor.send({ type: 'add', item: 'salt' })
    await vi.waitFor(() => expect(tab.errors).toMatchObject([{ code: 'QUOTA' }]))
    await back.flush()
    expect(await parents(tab)).toEqual([
      [1, undefined],
      [2, 1],
      [3, 2],
      [4, 2],
    ])
    expect((await run(tab)).actor.getSnapshot().context.items).toEqual(['bread', 'cheese', 'salt'])
    expect(tab.warnings).toEqual([])
  })

  it('is saved when a flush resolves, also what had failed before', async () => {
    const { storage, ...disk } = fullable()
    const tab = await tabs({ storage })()
    const { actor, flush } = await run(tab)
    disk.fill({ times: 1 })
    actor.send({ type: 'add', item: 'bread' })
    await vi.waitFor(() => expect(tab.errors).toMatchObject([{ code: 'QUOTA' }]))
    await flush()
    expect((await run(tab)).actor.getSnapshot().context.items).toEqual(['bread'])
  })

  it('makes a fork, of which the origin knows nothing', async () => {
    const tab = await tabs()()
    const { actor, flush } = await run(tab)
    actor.send({ type: 'add', item: 'bread' })
    await flush()
    const fork = await tab.thread.fork({ at: 1 })
    const other = await run({ ...tab, thread: fork })
    other.actor.send({ type: 'add', item: 'wine' })
    await other.flush()
    expect((await run(tab)).actor.getSnapshot().context.items).toEqual(['bread'])
    expect((await run({ ...tab, thread: fork })).actor.getSnapshot().context.items).toEqual(['wine'])
  })
})

describe('a second tab', () => {
  it('follows the actor live, and runs nothing', async () => {
    const open = tabs()
    const { actor } = await run(await open())
    const pay = vi.fn(never)
    const seen: unknown[] = []
    const { thread } = await open()
    const following = (async () => {
      for await (const snapshot of followActor(thread, orderMachine(pay))) {
        seen.push(snapshot.value)
        if (snapshot.matches('paying')) return snapshot
      }
      return undefined
    })()
    await vi.waitFor(() => expect(seen).toContain('filling'))
    actor.send({ type: 'add', item: 'bread' })
    actor.send({ type: 'pay' })
    expect((await following)?.context.items).toEqual(['bread'])
    expect(pay).not.toHaveBeenCalled()
  })

  it('that runs it too is told to both', async () => {
    const open = tabs()
    const [one, two] = [await open(), await open()]
    const first = await run(one)
    await first.flush()
    const second = await run(two)
    second.actor.send({ type: 'add', item: 'wine' })
    await second.flush()
    first.actor.send({ type: 'add', item: 'bread' })
    await first.flush()
    expect(one.warnings).toMatchObject([{ code: 'CONFLICT' }])
    second.actor.send({ type: 'add', item: 'salt' })
    await second.flush()
    expect(two.warnings).toMatchObject([{ code: 'CONFLICT' }])
  })

  it('is refused what it saves when it has lost its lease', async () => {
    const open = tabs()
    const [one, two] = [await open(), await open()]
    await one.thread.lease()
    const { actor, flush } = await run(one)
    await flush()
    await two.thread.lease({ steal: true })
    actor.send({ type: 'pay' })
    await vi.waitFor(() => expect(one.errors).toMatchObject([{ code: 'LEASE_LOST' }]))
    await expect(flush()).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })
})

describe('what cannot be kept', () => {
  it('is told: an actor without a name', async () => {
    const { thread, kept, errors } = await tabs()()
    const machine = createMachine({ entry: spawnChild(fromPromise(() => new Promise(() => {}))) })
    const actor = createActor(machine)
    keepActor(thread, actor, kept)
    actor.start()
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'INVALID', thread: 'order' }]))
    expect(errors[0]?.message).toContain('inline')
  })

  it('is told: a function in the context', async () => {
    const { thread, kept, errors } = await tabs()()
    const machine = setup({ types: { context: {} as { f: () => void } } }).createMachine({
      context: { f: () => {} },
    })
    const actor = createActor(machine)
    const { flush } = keepActor(thread, actor, kept)
    actor.start()
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'INVALID', path: '$.context.f' }]))
    await expect(flush()).rejects.toMatchObject({ code: 'INVALID' })
  })

  it('is told: a closed checkpointer', async () => {
    const tab = await tabs()()
    const { actor, flush } = await run(tab)
    await flush()
    await tab.checkpointer.close()
    actor.send({ type: 'pay' })
    await vi.waitFor(() => expect(tab.errors).toMatchObject([{ code: 'CLOSED' }]))
  })

  it('are options that there are none of', async () => {
    const { thread } = await tabs()()
    const actor = createActor(createMachine({}))
    expect(() => keepActor(thread, actor, { onEror: 1 } as object)).toThrow(
      expect.objectContaining({ code: 'INVALID' }),
    )
  })
})
