import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { hangs, untilAsked, type Log } from './loops.ts'

export function questionLaws(fresh: Fresh): void {
  it(
    'a run that asks waits without its lease, and goes on when it is answered from elsewhere',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      const other = (await ground.open()).thread<Log>('a')
      const running = thread.run({ initial: { done: [] } }, async (loop) => {
        const answer = await loop.ask<string>({ text: 'Buy it?', price: 9n })
        loop.state.done.push(answer)
        return loop.step('after', () => 'after')
      })
      await untilAsked(other)
      const lease = await other.lease({ wait: 5_000 })
      await lease.release()
      await other.answer('yes')
      expect((await running).result).toBe('after')
      expect((await other.load())?.state.done).toEqual(['yes'])
      await rejection(other.answer('again'), 'NOT_FOUND')
    }),
  )

  it(
    'a question and its answer outlive the one who asked',
    on(fresh, async (checkpointer, ground) => {
      const stop = new AbortController()
      const work = (asked: string[]) => async (loop: Parameters<Parameters<typeof thread.run>[1]>[0]) => {
        const first = await loop.ask<string>('first?')
        asked.push(first)
        return `${first}, ${await loop.ask<string>('second?')}`
      }
      const thread = checkpointer.thread<Log>('a')
      const gone = thread.run({ signal: stop.signal }, work([]))
      await untilAsked(thread)
      await thread.answer('one')
      await untilAsked(thread)
      stop.abort(new Error('closed'))
      await expect(gone).rejects.toThrow('closed')
      const again = (await ground.open()).thread<Log>('a')
      const running = again.run({}, work([]))
      await untilTaken(() => again.answer('two'))
      expect(await running).toMatchObject({ began: 'resumed', result: 'one, two' })
    }),
  )

  it(
    'of several questions each has its own answer, and the first answer holds',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const running = thread.run({}, (loop) =>
        Promise.all([
          loop.ask('a?', { name: 'a' }),
          loop.ask('b?', { name: 'b' }),
          loop.step('c', () => 'c'),
        ]),
      )
      await untilAsked(thread)
      const keys = async () =>
        ((await thread.load())?.pendingWrites ?? []).flatMap(({ taskId, value }) =>
          (value as { name?: string }).name === 'b' ? [taskId] : [],
        )
      const [key = ''] = await keys()
      await thread.answer('to b', { key })
      await rejection(thread.answer('to b again', { key }), 'CONFLICT')
      await rejection(thread.answer('to nobody', { key: 'no such' }), 'NOT_FOUND')
      await thread.answer('to a')
      expect((await running).result).toEqual(['to a', 'to b', 'c'])
    }),
  )

  it(
    'who waited while another went on with the run learns of it, and writes nothing',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      const waiting = thread.run({ initial: { done: [] } }, async (loop) => {
        loop.state.done.push(await loop.ask('?'))
      })
      const lost = rejection(waiting, 'LEASE_LOST')
      await untilAsked(thread)
      const other = (await ground.open()).thread<Log>('a')
      const running = other.run({ wait: 5_000 }, async (loop) => {
        loop.state.done.push(`${await loop.ask<string>('?')} to the other`)
      })
      await lost
      await untilAsked(other)
      await other.answer('yes')
      await running
      expect((await other.load())?.state.done).toEqual(['yes to the other'])
    }),
  )

  it(
    'a run that asks beside a stream waits when the stream has ended',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const running = thread.run({}, async (loop) => {
        const asked = loop.ask('?')
        for await (const word of loop.stream('words', words())) loop.state.done = [word]
        return asked
      })
      await untilWaiting(checkpointer)
      await thread.answer('yes')
      expect((await running).result).toBe('yes')
    }),
  )

  it(
    'a run whose own thread goes on beside the question does not wait',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const running = thread.run({}, async (loop) => {
        const asked = loop.ask('?')
        await new Promise((resolve) => setTimeout(resolve, 100))
        const meanwhile = await loop.step('meanwhile', () => 'done')
        return [meanwhile, await asked]
      })
      await untilAsked(thread)
      await new Promise((resolve) => setTimeout(resolve, 300))
      await thread.answer('yes')
      expect((await running).result).toEqual(['done', 'yes'])
    }),
  )

  it(
    'a run that waits can be stopped',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const stop = new AbortController()
      const running = thread.run({ signal: stop.signal }, (loop) =>
        Promise.race([loop.ask('?'), hangs(loop.signal)]),
      )
      await untilAsked(thread)
      stop.abort(new Error('enough'))
      await expect(running).rejects.toThrow('enough')
      await rejection(thread.answer('too late'), 'NOT_FOUND')
    }),
  )
}

async function* words(): AsyncGenerator<string> {
  for (const word of ['one', 'two']) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    yield word
  }
}

async function untilWaiting(checkpointer: Checkpointer): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if ((await listOf(checkpointer.runs({ status: 'waiting' }))).length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect.unreachable('the run does not wait')
}

/** The question was there before; it can be answered once somebody runs the thread again. */
async function untilTaken(answer: () => Promise<void>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const isTaken = await answer().then(
      () => true,
      () => false,
    )
    if (isTaken) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect.unreachable('the answer was not taken')
}
