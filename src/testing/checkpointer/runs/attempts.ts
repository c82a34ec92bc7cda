import { expect, it } from 'vitest'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { begun, cutOff, hangs, untilAsked, type Log, type Work } from './loops.ts'

export function attemptLaws(fresh: Fresh): void {
  it(
    'of a step that may or may not have been done the policy decides',
    on(fresh, async (checkpointer) => {
      const decided = async (id: string, options: object, start = {}): Promise<unknown> => {
        const thread = checkpointer.thread<Log>(id)
        await cutOff(thread, (loop) => begun(loop, 'x', start))
        const end = await thread.run({}, (loop) =>
          loop
            .step('x', ({ attempt }) => `attempt ${attempt}`, options)
            .catch((error: unknown) => String(error)),
        )
        return end.result
      }
      expect(await decided('a', {})).toBe('attempt 2')
      expect(await decided('b', { whenUnknown: 'skip' })).toBe(undefined)
      expect(await decided('c', { whenUnknown: 'retry' }, { effect: 'external' })).toBe('attempt 2')
      expect(
        await decided('d', { whenUnknown: ({ attempt }: { attempt: number }) => ({ value: attempt }) }),
      ).toBe(1)
      expect(await decided('e', { whenUnknown: async () => ({ error: new Error('it failed') }) })).toBe(
        'Error: it failed',
      )
      expect(await decided('f', { whenUnknown: () => 'what?' })).toContain('no answer')
    }),
  )

  it(
    'of an external step a person is asked, whose answer holds',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('a')
      await cutOff(thread, (loop) => begun(loop, 'buy', { effect: 'external' }))
      const running = thread.run({}, (loop) =>
        loop.step('buy', () => expect.unreachable(), { effect: 'external' }),
      )
      const other = (await ground.open()).thread<Log>('a')
      await untilAsked(other)
      await rejection(other.answer('perhaps'), 'INVALID')
      await other.answer({ value: 'ticket 7' })
      expect((await running).result).toBe('ticket 7')
      await rejection(other.answer('retry'), 'NOT_FOUND')
    }),
  )

  it(
    'what became of a step may also be answered by the key of the step, as often as it is asked',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let key = ''
      const running = thread.run({}, (loop) =>
        loop.step('buy', (step) => ((key = step.key), hangs(step.signal)), {
          effect: 'external',
          timeout: 20,
        }),
      )
      await untilAsked(thread)
      await thread.answer('retry', { key })
      await untilAsked(thread)
      await thread.answer({ value: 'ticket 7' }, { key })
      expect((await running).result).toBe('ticket 7')
    }),
  )

  it(
    'a step is tried again as often as it was asked for, and a time limit ends an attempt',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const attempts: number[] = []
      const fails = ({ attempt }: { attempt: number }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error(`no ${attempt}`)
        return 'at last'
      }
      const options = { retries: { times: 2, delay: 1 } }
      expect((await thread.run({}, (loop) => loop.step('x', fails, options))).result).toBe('at last')
      expect(attempts).toEqual([1, 2, 3])
      const late = thread.run({}, (loop) =>
        loop.step('slow', ({ signal }) => hangs(signal), { timeout: 10, retries: { times: 1, delay: 1 } }),
      )
      await expect(late).rejects.toMatchObject({ name: 'TimeoutError' })
      const picky = thread.run({ from: 1 }, (loop) =>
        loop.step('x', fails, {
          retries: { times: 5, delay: 1, when: (error) => String(error).endsWith('1') },
        }),
      )
      attempts.length = 0
      await expect(picky).rejects.toThrow('no 2')
      expect(attempts).toEqual([1, 2])
    }),
  )

  it(
    'a run that a failed step has ended throws the same again, until it is to be tried again',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let runs = 0
      const work: Work = (loop) =>
        loop.step('model', () => {
          runs++
          if (runs === 1) throw new Error('no network')
          return 'hello'
        })
      await expect(thread.run({}, work)).rejects.toThrow('no network')
      await expect(thread.run({}, work)).rejects.toThrow('no network')
      expect(runs).toBe(1)
      const [failed] = await listOf(checkpointer.runs({ status: 'failed' }))
      expect(failed?.error).toBe('Error: no network')
      const end = await thread.run({ retry: true }, work)
      expect(end).toMatchObject({ began: 'resumed', result: 'hello' })
      const again = await thread.run({ retry: true }, () => expect.unreachable())
      expect(again).toEqual({ ...end, began: 'already-finished' })
      let isUp = false
      const tools: Work = (loop) =>
        Promise.all(
          ['a', 'b', 'c'].map((name) =>
            loop.step(name, async () => {
              if (!isUp) throw new Error(`no network for ${name}`)
              return name
            }),
          ),
        ).catch((cause: unknown) => {
          throw new Error('a tool failed', { cause })
        })
      await expect(thread.run({}, tools)).rejects.toThrow('a tool failed')
      isUp = true
      expect((await thread.run({ retry: true }, tools)).result).toEqual(['a', 'b', 'c'])
    }),
  )

  it(
    'what was under way when another branch failed has its outcome, if it comes soon',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const seen: string[] = []
      const work: Work = (loop) =>
        Promise.all([
          loop.step('fails', () => {
            if (seen.length < 2) throw new Error('no network')
            return 'well'
          }),
          loop.step('pays', () => new Promise((resolve) => setTimeout(resolve, 50, seen.push('paid'))), {
            effect: 'external',
          }),
        ])
      await expect(thread.run({}, work)).rejects.toThrow('no network')
      seen.push('up again')
      expect((await thread.run({ retry: true }, work)).result).toEqual(['well', 1])
      expect(seen).toEqual(['paid', 'up again'])
    }),
  )

  it(
    'a step that was tried again after a failure, and cut off, is not taken for one that has failed',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const fails = (): never => {
        throw new Error('no network')
      }
      await expect(
        thread.run({}, (loop) => loop.step('pay', fails, { effect: 'external' })),
      ).rejects.toThrow()
      const stop = new AbortController()
      const cut = thread.run({ retry: true, signal: stop.signal }, (loop) =>
        loop.step('pay', ({ signal }) => (stop.abort(new Error('cut off')), hangs(signal))),
      )
      await expect(cut).rejects.toThrow('cut off')
      const whenUnknown = ({ attempt }: { attempt: number }) => ({ value: `attempt ${attempt}` })
      const end = await thread.run({}, (loop) => loop.step('pay', fails, { whenUnknown }))
      expect(end.result).toBe('attempt 2')
    }),
  )
}
