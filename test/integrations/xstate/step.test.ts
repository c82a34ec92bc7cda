import 'fake-indexeddb/auto'
import { openCheckpointer } from 'forkpoint'
import { fromStep, keepActor, savedSnapshot } from 'forkpoint/xstate'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createActor, createMachine, setup, waitFor } from 'xstate'
import { orderMachine, type Pay } from '../../support/order-machine.ts'

const name = (): string => `steps-${Math.random()}`

async function page(database: string, pay: Pay, isStep = true) {
  const checkpointer = await openCheckpointer({ name: database, worker: false, onWarning: () => {} })
  const places = (namespace = '') => checkpointer.thread('order', { namespace })
  const actor = createActor(orderMachine(pay, isStep ? places : undefined), await savedSnapshot(places()))
  const { flush, stop } = keepActor(places(), actor, { onError: () => {} })
  actor.start()
  onTestFinished(async () => {
    actor.stop()
    await checkpointer.close().catch(() => {})
  })
  // As a page goes: nothing of it runs any more, and nothing is said.
  const goes = async (): Promise<void> => {
    await flush()
    stop()
    actor.stop()
    await checkpointer.close()
  }
  return { checkpointer, places, actor, flush, goes }
}

const never: Pay = () => new Promise<string>(() => {})

describe('a promise in flight when the page goes', () => {
  it('is invoked again by XState', async () => {
    const database = name()
    const pay = vi.fn(never)
    const first = await page(database, pay, false)
    first.actor.send({ type: 'pay' })
    await first.goes()
    const second = await page(database, pay, false)
    expect(second.actor.getSnapshot().value).toBe('paying')
    expect(pay).toHaveBeenCalledTimes(2)
  })

  it('as a step is tried again under the same key', async () => {
    const database = name()
    const pay = vi.fn(never)
    const first = await page(database, pay)
    first.actor.send({ type: 'add', item: 'bread' })
    first.actor.send({ type: 'pay' })
    await vi.waitFor(() => expect(pay).toHaveBeenCalledTimes(1))
    await first.goes()
    await page(database, pay)
    await vi.waitFor(() => expect(pay).toHaveBeenCalledTimes(2))
    const [before, after] = pay.mock.calls.map(([given]) => given)
    expect(after).toMatchObject({ key: before?.key, input: ['bread'], attempt: 2 })
  })

  it('as a step that was done, though the page went before the actor had heard of it, is not done again', async () => {
    const database = name()
    const pay = vi.fn<Pay>(async () => 'receipt 1')
    const first = await page(database, pay)
    first.actor.send({ type: 'pay' })
    await first.flush()
    await waitFor(first.actor, (snapshot) => snapshot.matches('paid'))
    await first.flush()
    // What the actor came to is taken away: the checkpoint in which it was paying is the last again.
    const [last] = await heads(first)
    await first.places().deleteCheckpoints([last ?? 0])
    await first.goes()
    const second = await page(database, pay)
    expect(second.actor.getSnapshot().value).toBe('paying')
    await waitFor(second.actor, (snapshot) => snapshot.matches('paid'))
    expect(second.actor.getSnapshot().context.receipt).toBe('receipt 1')
    expect(pay).toHaveBeenCalledTimes(1)
  })

  it('what a step has kept can be removed when nothing is in flight', async () => {
    const { places, actor, flush } = await page(name(), async () => 'receipt 1')
    actor.send({ type: 'pay' })
    await waitFor(actor, (snapshot) => snapshot.matches('paid'))
    await flush()
    const [kept, ...others] = (await places().namespaces()).filter((each) => each.startsWith('invoked:'))
    expect(others).toEqual([])
    await places().deleteRun(kept ?? '')
    expect(await places().namespaces()).toEqual([''])
    expect((await places().load())?.state).toMatchObject({ value: 'paid' })
  })

  it('as a step that failed fails again, without being done', async () => {
    const database = name()
    const pay = vi.fn<Pay>(() => Promise.reject(new Error('no funds')))
    const first = await page(database, pay)
    first.actor.send({ type: 'pay' })
    await waitFor(first.actor, (snapshot) => snapshot.matches('filling') && pay.mock.calls.length > 0)
    await first.flush()
    const [last] = await heads(first)
    await first.places().deleteCheckpoints([last ?? 0])
    await first.goes()
    const second = await page(database, pay)
    expect(second.actor.getSnapshot().value).toBe('paying')
    await waitFor(second.actor, (snapshot) => snapshot.matches('filling'))
    expect(pay).toHaveBeenCalledTimes(1)
  })
})

describe('a step', () => {
  it('that is invoked anew is done anew', async () => {
    const pay = vi.fn<Pay>(async ({ key }) => key)
    const { actor } = await page(name(), pay)
    for (let i = 0; i < 2; i++) {
      actor.send({ type: 'pay' })
      await waitFor(actor, (snapshot) => snapshot.matches('paid'))
      actor.send({ type: 'again' })
    }
    const [one, two] = pay.mock.calls.map(([{ key }]) => key)
    expect(one).not.toBe(two)
  })

  it('may be one of several at once', async () => {
    const checkpointer = await openCheckpointer({ name: name(), worker: false, onWarning: () => {} })
    onTestFinished(() => checkpointer.close())
    const thread = checkpointer.thread('both')
    const lease = await thread.lease()
    const places = (namespace: string) => checkpointer.thread('both', { namespace, lease })
    let meet: (() => void) | undefined
    const met = new Promise<void>((resolve) => (meet = resolve))
    const machine = setup({
      actors: {
        waits: fromStep(places, async () => {
          await met
          return 1
        }),
        meets: fromStep(places, async () => meet?.()),
      },
    }).createMachine({
      type: 'parallel',
      states: {
        a: {
          initial: 'on',
          states: { on: { invoke: { src: 'waits', onDone: 'off' } }, off: { type: 'final' } },
        },
        b: {
          initial: 'on',
          states: { on: { invoke: { src: 'meets', onDone: 'off' } }, off: { type: 'final' } },
        },
      },
    })
    const actor = createActor(machine)
    keepActor(thread, actor)
    actor.start()
    await waitFor(actor, (snapshot) => snapshot.status === 'done')
  })

  it('that changes something outside, and was cut off, is decided by the caller', async () => {
    const database = name()
    const work = vi.fn(() => new Promise<string>(() => {}))
    const open = async () => {
      const checkpointer = await openCheckpointer({ name: database, worker: false, onWarning: () => {} })
      const places = (namespace = '') => checkpointer.thread('t', { namespace })
      const decide = { effect: 'external', whenUnknown: () => ({ value: 'looked up' }) } as const
      const machine = setup({ actors: { work: fromStep(places, work, decide) } }).createMachine({
        initial: 'on',
        states: { on: { invoke: { src: 'work', onDone: 'off' } }, off: {} },
      })
      const actor = createActor(machine, await savedSnapshot(places()))
      const { flush, stop } = keepActor(places(), actor)
      actor.start()
      onTestFinished(() => checkpointer.close().catch(() => {}))
      return { checkpointer, actor, flush, stop }
    }
    const first = await open()
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(1))
    await first.flush()
    first.stop()
    first.actor.stop()
    await first.checkpointer.close()
    const { actor } = await open()
    await waitFor(actor, (snapshot) => snapshot.matches('off'))
    expect(work).toHaveBeenCalledTimes(1)
  })
})

it('a delay of XState does not outlive the page, which the document says', async () => {
  const machine = createMachine({ initial: 'a', states: { a: { after: { 20: 'b' } }, b: {} } })
  const first = createActor(machine).start()
  const snapshot = first.getPersistedSnapshot()
  first.stop()
  const second = createActor(machine, { snapshot }).start()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(second.getSnapshot().value).toBe('a')
})

async function heads({ places }: Awaited<ReturnType<typeof page>>): Promise<number[]> {
  const seqs: number[] = []
  for await (const { seq } of places().history({ limit: 1 })) seqs.push(seq)
  return seqs
}
