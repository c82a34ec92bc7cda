import { expect, it } from 'vitest'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { hangs, type Log } from './loops.ts'

export function runLaws(fresh: Fresh): void {
  it(
    'a run begins with the initial state, saves, and resolves to its result',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const initial: Log = { done: [] }
      const end = await thread.run({ initial, runId: 'r' }, async (loop) => {
        expect([loop.began, loop.runId]).toEqual(['fresh', 'r'])
        loop.state.done.push('one')
        await loop.save({ node: 'first', label: 'half' })
        loop.state.done.push('two')
        return new Map([['well', 1n]])
      })
      expect(end).toEqual({ began: 'fresh', status: 'finished', result: new Map([['well', 1n]]), runId: 'r' })
      expect(initial).toEqual({ done: [] })
      const shown = await listOf(thread.history({ order: 'oldest', states: true }))
      expect(shown.map(({ runId, source, node, state }) => [runId, source, node, state.done])).toEqual([
        ['r', 'input', undefined, []],
        ['r', 'loop', 'first', ['one']],
        ['r', 'loop', undefined, ['one', 'two']],
      ])
    }),
  )

  it(
    'a loop may be taken apart',
    on(fresh, async (checkpointer) => {
      async function* two() {
        yield 'two'
      }
      const thread = checkpointer.thread<Log>('a')
      const { result } = await thread.run(
        { initial: { done: [] } },
        async ({ state, step, save, stream, done }) => {
          state.done.push(await step('one', () => 'one'))
          await save()
          for await (const chunk of stream('two', two)) state.done.push(chunk)
          await done(state.done.length)
        },
      )
      expect([result, (await thread.load())?.state.done]).toEqual([2, ['one', 'two']])
    }),
  )

  it(
    'a run of the same id is not run again once it has finished, also when others came after it',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      await thread.run({ runId: 'r', initial: { done: [] } }, (loop) => void loop.state.done.push('r'))
      await thread.run({ runId: 's' }, async (loop) => {
        loop.state.done.push('s')
        await loop.done({ of: 's' })
        return 'not this'
      })
      const again = (await ground.open()).thread<Log>('a')
      const never = () => expect.unreachable()
      expect(await again.run({ runId: 's' }, never)).toEqual({
        began: 'already-finished',
        status: 'finished',
        result: { of: 's' },
        runId: 's',
      })
      expect(await again.run({ runId: 'r' }, never)).toMatchObject({
        began: 'already-finished',
        result: undefined,
      })
      expect((await again.load())?.state.done).toEqual(['r', 's'])
    }),
  )

  it(
    'a run that the loop ends without waiting for it has the result that it was given',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const end = await thread.run({ runId: 'r', initial: { done: [] } }, async (loop) => {
        loop.state.done.push('r')
        void loop.done('given')
        return 'not this'
      })
      expect(end).toMatchObject({ status: 'finished', result: 'given' })
      expect(await thread.run({ runId: 'r' }, () => expect.unreachable())).toMatchObject({ result: 'given' })
    }),
  )

  it(
    'a run that failed goes on under its id, from its last checkpoint',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      const failing = thread.run({ initial: { done: [] } }, async (loop) => {
        loop.state.done.push('kept')
        await loop.save()
        loop.state.done.push('not kept')
        throw new TypeError('no')
      })
      await expect(failing).rejects.toThrow(new TypeError('no'))
      const again = (await ground.open()).thread<Log>('a')
      const runId = (await again.load())?.runId
      const end = await again.run({}, (loop) => [loop.began, ...loop.state.done])
      expect(end).toMatchObject({ began: 'resumed', result: ['resumed', 'kept'], runId })
      expect(await again.run({}, (loop) => loop.began)).toMatchObject({ began: 'fresh', result: 'fresh' })
    }),
  )

  it(
    'a run that ends by an error whose cause cannot be read is one that failed',
    on(fresh, async (checkpointer) => {
      const cause = () => {
        throw new TypeError('no cause')
      }
      const error = Object.defineProperty(new Error('no'), 'cause', { get: cause })
      const failing = checkpointer.thread<Log>('a').run({}, () => {
        throw error
      })
      await expect(failing).rejects.toBe(error)
      expect((await listOf(checkpointer.runs())).map(({ status }) => status)).toEqual(['failed'])
    }),
  )

  it(
    'a run that is stopped rejects with the reason, and can be resumed',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const stop = new AbortController()
      const running = thread.run({ initial: { done: [] }, signal: stop.signal, runId: 'r' }, async (loop) => {
        await loop.step('before', () => 1)
        queueMicrotask(() => stop.abort(new Error('enough')))
        await loop.step('long', ({ signal }) => hangs(signal))
      })
      await expect(running).rejects.toThrow('enough')
      const seen: string[] = []
      const end = await thread.run({}, async (loop) => {
        await loop.step('before', () => void seen.push('before'))
        return loop.step('long', ({ attempt }) => attempt)
      })
      expect(seen).toEqual([])
      expect(end).toMatchObject({ began: 'resumed', runId: 'r', result: 2 })
    }),
  )

  it(
    'what it is called with is looked at first',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const wrong = [{ from: {} }, { runId: '' }, { retry: 1 }, { edit: 1 }, { signal: 1 }, { stael: true }]
      for (const options of wrong)
        await rejection(
          thread.run(options as object, () => {}),
          'INVALID',
        )
      await rejection(thread.run({}, 1 as never), 'INVALID')
      expect(await thread.load()).toBeUndefined()
      const initial = { done: [() => 0] } as never
      await rejection(
        thread.run({ initial }, () => {}),
        'INVALID',
      )
      expect((await thread.run({}, (loop) => loop.state)).result).toEqual({})
      let kept: { save(): Promise<unknown> } | undefined
      await thread.run({}, (loop) => void (kept = loop))
      await rejection(kept?.save() as Promise<unknown>, 'INVALID')
    }),
  )
}
