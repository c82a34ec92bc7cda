import { expect, it } from 'vitest'
import { listOf, on, rejection, seqsOf, type Fresh } from '../ground.ts'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import { until } from '../sync/two.ts'
import { begun, cutOff, hangs, untilAsked, type Log } from './loops.ts'

/** Laws about a run and what others do to its thread meanwhile, or did before. */
export function besideLaws(fresh: Fresh): void {
  it(
    'under one lease a thread is run once at a time, and no longer than until it is released',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const inner = (loop: Loop<Log>, namespace: string) =>
        checkpointer.thread<Log>('a', { namespace, lease: loop.lease }).run({}, () => namespace)
      const outer = await thread.run({ initial: { done: [] } }, async (loop) => {
        await rejection(inner(loop, ''), 'CONFLICT')
        return inner(loop, 'part')
      })
      expect(outer.result).toMatchObject({ result: 'part' })

      const lease = await thread.lease()
      const own = checkpointer.thread<Log>('a', { lease })
      const seen: string[] = []
      const running = own.run({}, async (loop) => {
        await rejection(
          own.run({}, () => expect.unreachable()),
          'CONFLICT',
        )
        await loop.step('one', () => void seen.push('one'))
        await lease.release()
        await loop.step('two', () => void seen.push('two'))
      })
      await rejection(running, 'LEASE_LOST')
      expect(seen).toEqual(['one'])
      expect((await thread.run({}, (loop) => loop.step('one', () => expect.unreachable()))).began).toBe(
        'resumed',
      )
    }),
  )

  it(
    'one runs at a time, and one that was replaced writes nothing',
    on(fresh, async (checkpointer, ground) => {
      const first = checkpointer.thread<Log>('a')
      const second = (await ground.open()).thread<Log>('a')
      let begun = (): void => {}
      const isBegun = new Promise<void>((resolve) => (begun = resolve))
      let token = 0
      const replaced = first.run({ initial: { done: [] } }, async (loop) => {
        token = loop.token
        await loop.save()
        begun()
        await hangs(loop.signal).catch(() => {})
        loop.state.done.push('by the first')
        await loop.save()
      })
      const outcome = rejection(replaced, 'LEASE_LOST')
      await isBegun
      await rejection(
        second.run({ wait: false }, () => expect.unreachable()),
        'BLOCKED',
      )
      const end = await second.run({ steal: true }, async (loop) => {
        expect(loop.token).toBeGreaterThan(token)
        loop.state.done.push('by the second')
        // Where there are no locks, the first learns of it by its next write.
        await loop.save()
      })
      expect(end.began).toBe('resumed')
      await outcome
      expect((await second.load())?.state.done).toEqual(['by the second'])
    }),
  )

  it(
    'a run from an earlier checkpoint is new, on a branch of its own, with its edit',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      await thread.run({ initial: { done: [] } }, async (loop) => {
        for (const name of ['one', 'two']) {
          loop.state.done.push(await loop.step('say', () => name))
          await loop.save()
        }
        await loop.step('after', () => 'journaled')
      })
      const seen: string[] = []
      const end = await thread.run(
        { from: 2, edit: (draft) => void draft.done.push('edited') },
        async (loop) => {
          await loop.step('after', () => void seen.push('after'))
          return loop.state.done
        },
      )
      expect(end).toMatchObject({ began: 'fresh', result: ['one', 'edited'] })
      expect(seen).toEqual(['after'])
      const [head, two, one] = await listOf(thread.history({ limit: 3 }))
      expect(head).toMatchObject({ source: 'fork', parentId: two?.seq === 2 ? two.id : one?.id })
      await rejection(
        thread.run({ from: 99 }, () => {}),
        'NOT_FOUND',
      )
    }),
  )

  it(
    'a new run does not pass over one whose external step nobody knows of',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const stop = new AbortController()
      const running = thread.run({ initial: { done: [] }, signal: stop.signal, runId: 'r' }, async (loop) => {
        await loop.step('buy', ({ signal }) => (stop.abort(), hangs(signal)), { effect: 'external' })
      })
      await expect(running).rejects.toBeDefined()
      const edit = (draft: Log) => void draft.done.push('something new')
      const refused = await rejection(
        thread.run({ edit }, () => {}),
        'CONFLICT',
      )
      expect(refused.message).toContain("'buy'")
      expect((await thread.run({ edit, from: 1 }, ({ state }) => state.done)).result).toEqual([
        'something new',
      ])
      await rejection(
        thread.run({ runId: 'r' }, () => {}),
        'CONFLICT',
      )
    }),
  )

  it(
    'a new run passes over no such step either when others have saved behind it since',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      await cutOff(thread, (loop) => begun(loop, 'buy', { effect: 'external' }))
      const runId = (await thread.load())?.runId ?? ''
      await thread.save({ done: ['by hand'] })
      const edit = (draft: Log) => void draft.done.push('something new')
      for (const options of [{ edit }, { runId: 'new' }]) {
        const refused = await rejection(
          thread.run(options, () => expect.unreachable()),
          'CONFLICT',
        )
        expect(refused.message).toContain("'buy'")
      }
      expect(await thread.latestRun()).toMatchObject({ runId, status: 'stopped' })
      expect((await thread.run({ edit, from: 2 }, ({ state }) => state.done)).result).toEqual([
        'by hand',
        'something new',
      ])
    }),
  )

  it.each([
    ['from a checkpoint that is not there', { from: 99 }, 'no such checkpoint'],
    ['with an edit that throws', { from: 1, edit: refuses }, 'refused'],
    ['with a state that cannot be stored', { from: 1, edit: unstorable }, 'state'],
    ['under the id of one that has finished', { from: 1, runId: 'paid' }, undefined],
  ])('a run that does not begin leaves the one before it as it was: %s', (_how, options, refusal) =>
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      let isDown = true
      const work = (loop: Loop<Log>) =>
        loop.step('call', () => {
          if (isDown) throw new Error('down')
          return 'up'
        })
      await thread.run({ runId: 'paid', initial: { done: [] } }, () => 'paid')
      await expect(thread.run({ runId: 'r' }, work)).rejects.toThrow('down')
      const before = await thread.load()
      const beginning = thread.run<unknown>(options, () => expect.unreachable())
      if (refusal === undefined) expect(await beginning).toMatchObject({ began: 'already-finished' })
      else await expect(beginning).rejects.toThrow(refusal)
      expect(await thread.load()).toEqual(before)
      isDown = false
      expect(await thread.run({ runId: 'r', retry: true }, work)).toMatchObject({
        began: 'resumed',
        result: 'up',
      })
    })(),
  )

  it(
    'a run that waits goes on waiting when the one that was to replace it does not begin',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const waiting = thread.run({ initial: { done: [] } }, (loop) => loop.ask<string>('Go?'))
      await untilAsked(thread)
      await until(async () => (await thread.latestRun())?.status === 'waiting')
      const before = await thread.load()
      await rejection(
        thread.run({ from: 99 }, () => {}),
        'NOT_FOUND',
      )
      expect(await thread.load()).toEqual(before)
      await thread.answer('yes')
      expect((await waiting).result).toBe('yes')
    }),
  )

  it(
    'a run is told when others have saved to its thread',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const running = thread.run({ initial: { done: [] } }, async (loop) => {
        await thread.save({ done: ['by hand'] })
        await loop.save()
      })
      await rejection(running, 'CONFLICT')
      const end = await thread.run({}, (loop) => loop.state.done)
      expect(end).toMatchObject({ began: 'resumed', result: ['by hand'] })
    }),
  )

  it(
    'what the latest run has done is known after others have saved behind it and all that may go has gone, twice',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      for (const runId of ['fails', 'finishes']) {
        let times = 0
        const work = async (loop: Loop<Log>): Promise<number> => {
          await loop.save()
          await loop.step('pay', () => ++times, { effect: 'external' })
          if (runId === 'fails') throw new Error('no')
          return times
        }
        const first = thread.run({ initial: { done: [] }, runId }, work)
        await (runId === 'fails' ? expect(first).rejects.toThrow('no') : first)
        for (const done of ['by', 'hand']) {
          for (let n = 0; n < 2; n++) await thread.save({ done: [done] })
          await thread.prune({ keepLast: 1 })
          expect(await seqsOf(thread.history())).toHaveLength(2)
          expect(await thread.latestRun()).toMatchObject({
            runId,
            status: runId === 'fails' ? 'failed' : 'finished',
          })
        }
        if (runId === 'fails') await rejection(thread.run({ runId }, work), 'CONFLICT')
        else expect((await thread.run({ runId }, work)).result).toBe(1)
        expect(times).toBe(1)
        if (runId === 'fails') await thread.run({ from: (await thread.load())!.seq }, () => {})
      }
    }),
  )

  it(
    'a part of a run may be a run of another namespace, under the same lease',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const end = await thread.run({ initial: { done: [] } }, async (loop) => {
        const part = checkpointer.thread<Log>('a', { namespace: 'part', lease: loop.lease })
        const { result } = await part.run({ runId: 'part' }, (inner) => inner.step('work', () => 'done'))
        loop.state.done.push(String(result))
        return loop.step('after', () => loop.state.done)
      })
      expect(end.result).toEqual(['done'])
      await rejection(
        checkpointer
          .thread('a', { namespace: 'part' })
          .run({ runId: 'gone', from: 9, wait: false }, () => {}),
        'NOT_FOUND',
      )
    }),
  )

  it(
    'a copy and a fork take no run along',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Log>('a')
      const failing = thread.run({ initial: { done: [] } }, async (loop) => {
        await loop.step('one', () => 1)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      for (const twin of [await thread.copy('b'), await thread.fork()])
        expect((await twin.run({}, (loop) => loop.step('one', () => 2))).result).toBe(2)
    }),
  )
}

const refuses = (): never => {
  throw new Error('refused')
}

const unstorable = (draft: Log): void => void Object.assign(draft, { state: () => {} })
