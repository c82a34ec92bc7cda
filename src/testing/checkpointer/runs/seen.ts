import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import type { RunInfo } from '../../../checkpointer/runs/seen/run-info.ts'
import type { WatchEvent } from '../../../checkpointer/runs/watch/events.ts'
import { listOf, on, rejection, type Fresh } from '../ground.ts'
import { hangs, untilAsked, type Log } from './loops.ts'

const soon = { timeout: 20_000 }

/** What is told while a test goes on; the loop ends with the checkpointer, or by hand. */
function watching(checkpointer: Checkpointer, id = 'a') {
  const stop = new AbortController()
  const told: WatchEvent<Log>[] = []
  const ended = (async () => {
    for await (const event of checkpointer.thread<Log>(id).watch({ signal: stop.signal })) told.push(event)
  })()
  ended.catch(() => undefined)
  return { told, stop, ended }
}

/** In few words. */
const shortly = (event: WatchEvent<Log>): string => {
  if (event.type === 'state') return `state ${event.checkpoint.state.done.join()}`
  if (event.type === 'run') return `run ${event.run.status}`
  return event.type === 'step' ? `${event.name} ${event.attempt} ${event.status}` : `${event.name} chunks`
}

const statusOf = async (checkpointer: Checkpointer): Promise<string | undefined> =>
  (await listOf(checkpointer.runs()))[0]?.status

export function runsSeenLaws(fresh: Fresh): void {
  it(
    'how a run stands is seen from elsewhere, from its beginning to its end',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const stop = new AbortController()
      const running = one
        .thread<Log>('a')
        .run({ initial: { done: [] }, runId: 'r', signal: stop.signal }, async (loop) => {
          await loop.step('long', () => hangs(loop.signal))
        })
      await expect.poll(() => statusOf(one), soon).toBe('running')
      const [seen] = await listOf(two.runs({ status: 'running' }))
      expect(seen).toMatchObject({ thread: 'a', namespace: '', runId: 'r' })
      expect(seen?.startedAt.getTime()).toBeLessThanOrEqual(seen?.updatedAt.getTime() ?? 0)
      stop.abort(new Error('enough'))
      await expect(running).rejects.toThrow('enough')
      expect(await statusOf(two)).toBe('stopped')
      await two.thread<Log>('a').run({ runId: 'r' }, (loop) => loop.step('long', () => 'done'))
      expect(await statusOf(one)).toBe('finished')
      expect(await listOf(one.runs({ status: ['running', 'orphaned', 'waiting', 'failed'] }))).toEqual([])
      await rejection(listOf(one.runs({ status: 'gone' as never })), 'INVALID')
    }),
  )

  it(
    'a thread tells how its own latest run stands, from anywhere, and of none when there was none',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = two.thread<Log>('a')
      expect(await thread.latestRun()).toBeUndefined()
      let leave = (): void => {}
      const left = new Promise<void>((resolve) => (leave = resolve))
      const running = one.thread<Log>('a').run({ initial: { done: [] }, runId: 'r' }, () => left)
      await expect.poll(async () => (await thread.latestRun())?.status, soon).toBe('running')
      leave()
      await running
      expect(await thread.latestRun()).toMatchObject({ thread: 'a', runId: 'r', status: 'finished' })
      expect(await two.thread('a', { namespace: 'sub' }).latestRun()).toBeUndefined()
      const failing = one.thread<Log>('a').run({ runId: 's' }, () => Promise.reject(new Error('no')))
      await expect(failing).rejects.toThrow('no')
      expect(await thread.latestRun()).toMatchObject({ runId: 's', status: 'failed', error: 'Error: no' })
    }),
  )

  it(
    'a run that waits is seen with its questions, until they are answered',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const running = one
        .thread<Log>('a', { namespace: '/sub' })
        .run({}, async (loop) => [
          await loop.step('before', () => 1),
          ...(await Promise.all([loop.ask({ price: 9n }, { name: 'buy' }), loop.ask('sure?')])),
        ])
      const waiting = (): Promise<RunInfo[]> => listOf(two.runs({ status: 'waiting' }))
      await expect.poll(async () => (await waiting())[0]?.questions?.length, soon).toBe(2)
      const [info] = await waiting()
      expect(info).toMatchObject({ thread: 'a', namespace: '/sub', status: 'waiting' })
      expect(info?.questions).toEqual([
        { key: expect.any(String), name: 'buy', question: { price: 9n } },
        { key: expect.any(String), name: 'question', question: 'sure?' },
      ])
      const thread = two.thread<Log>('a', { namespace: '/sub' })
      for (const { key, name } of info?.questions ?? []) await thread.answer(name, { key })
      expect((await running).result).toEqual([1, 'buy', 'question'])
      expect(await waiting()).toEqual([])
    }),
  )

  it(
    'a run whose runner has let go of it is told as an orphan, and taken over by one alone',
    on(fresh, async (one, ground) => {
      const [two, three] = [await ground.open(), await ground.open()]
      const lease = await one.thread<Log>('a').lease()
      await lease.release()
      let leave = (): void => {}
      const left = new Promise<void>((resolve) => (leave = resolve))
      const running = one.thread<Log>('a').run({ initial: { done: [] }, runId: 'r' }, async (loop) => {
        loop.state.done.push('one')
        await loop.save()
        leave()
        await hangs(loop.signal)
      })
      const gone = rejection(running, 'CLOSED')
      await left
      const ends: string[] = []
      const takeOver =
        (checkpointer: Checkpointer, name: string) =>
        async (orphan: RunInfo): Promise<void> => {
          expect(orphan).toMatchObject({ thread: 'a', runId: 'r', status: 'orphaned' })
          const { thread, runId } = orphan
          const end = await checkpointer.thread<Log>(thread).run({ runId, wait: false }, async (loop) => {
            ends.push(`${loop.began} by one`)
            loop.state.done.push(name)
            return name
          })
          if (end.began === 'already-finished') ends.push('told')
        }
      two.onOrphan(takeOver(two, 'two'))
      three.onOrphan(takeOver(three, 'three'))
      await one.close()
      await gone
      await expect.poll(() => ends.filter((end) => end === 'resumed by one'), soon).toHaveLength(1)
      await expect.poll(() => statusOf(two), soon).toBe('finished')
      expect((await two.thread<Log>('a').load())?.state.done).toHaveLength(2)
      expect(ends.filter((end) => end === 'resumed by one')).toHaveLength(1)
    }),
  )

  it(
    'who watches sees the states, the run and its steps, and nothing twice',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const { told } = watching(two)
      const asking = async (loop: Loop<Log>) => {
        loop.state.done.push(await loop.step('first', () => 'first'))
        await loop.save()
        const both = await Promise.all([
          loop.step('left', () => 'left', { effect: 'external' }),
          loop.step('right', () => Promise.reject(new Error('no'))).catch(() => 'right'),
        ])
        loop.state.done.push(...both, await loop.ask<string>('go on?'))
      }
      const running = one.thread<Log>('a').run({ initial: { done: [] } }, asking)
      await expect.poll(() => told.map(shortly), soon).toContain('run waiting')
      await untilAsked(two.thread('a'))
      await two.thread('a').answer('yes')
      await running
      await expect.poll(() => told.map(shortly), soon).toContain('run finished')
      const seen = told.map(shortly)
      const steps = seen.filter((each) => !each.startsWith('run') && !each.startsWith('state'))
      expect(new Set(steps).size).toBe(steps.length)
      expect(new Set(steps)).toEqual(
        new Set([
          'first 1 started',
          'first 1 done',
          'left 1 started',
          'left 1 done',
          'right 1 started',
          'right 1 failed',
          'question 1 waiting',
          'question 1 done',
        ]),
      )
      for (const name of ['first', 'left'])
        expect(seen.indexOf(`${name} 1 started`)).toBeLessThan(seen.indexOf(`${name} 1 done`))
      const states = seen.filter((each) => each.startsWith('state'))
      expect(new Set(states).size).toBe(states.length)
      expect(states.at(-1)).toBe('state first,left,right,yes')
      expect(seen.indexOf('run waiting')).toBeLessThan(seen.indexOf('run finished'))
      const waiting = told.find((event) => event.type === 'run' && event.run.status === 'waiting')
      expect(waiting).toMatchObject({ run: { questions: [{ name: 'question', question: 'go on?' }] } })
      const late = watching(one)
      await expect.poll(() => late.told.map(shortly), soon).toContain('run finished')
      expect(late.told.map(shortly)).toContain('state first,left,right,yes')
    }),
  )

  it(
    'who watches a stream gets each chunk once, in order',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const { told } = watching(two)
      async function* words() {
        for (let n = 0; n < 60; n++) {
          if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 60))
          yield `${n},`
        }
      }
      const { result } = await one.thread<Log>('a').run({ initial: { done: [] } }, async (loop) => {
        const text = (await listOf(loop.stream('answer', words))).join('')
        loop.state.done.push(text)
        await loop.save()
        return text + (await listOf(loop.stream('answer', words))).join('')
      })
      await expect.poll(() => told.map(shortly), soon).toContain('run finished')
      const chunks = told.filter((event) => event.type === 'chunks')
      expect(chunks.flatMap((event) => event.chunks).join('')).toBe(result)
      const counts = new Map<string, number>()
      for (const { key, from, chunks: some } of chunks) {
        expect(from).toBe(counts.get(key) ?? 0)
        counts.set(key, from + some.length)
      }
      expect([...counts.values()]).toEqual([60, 60])
    }),
  )

  it(
    'who watches and is slow misses no step and sees the last state',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const events = two.thread<Log>('a').watch()[Symbol.asyncIterator]()
      const thread = one.thread<Log>('a')
      await thread.save({ done: [] })
      await one.flush()
      expect(shortly((await events.next()).value as WatchEvent<Log>)).toBe('state ')
      await thread.run({}, async (loop) => {
        for (let round = 0; round < 5; round++) {
          for (const name of ['x', 'y', 'z']) await loop.step(`${name}${round}`, () => name)
          loop.state.done.push(`${round}`)
          await loop.save()
        }
      })
      const seen: string[] = []
      for (let next = ''; next !== 'run finished'; seen.push(next))
        next = shortly((await events.next()).value as WatchEvent<Log>)
      for (let round = 0; round < 5; round++)
        for (const name of ['x', 'y', 'z']) expect(seen).toContain(`${name}${round} 1 done`)
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter((each) => each.startsWith('state')).at(-1)).toBe('state 0,1,2,3,4')
      const waits = events.next()
      await events.return?.()
      expect((await waits).done).toBe(true)
    }),
  )

  it(
    'watching ends with its signal and with the checkpointer, and holds nobody up',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const [first, second] = [watching(two), watching(two, 'b')]
      const thread = one.thread<Log>('a')
      await thread.save({ done: ['a'] })
      await one.flush()
      await expect.poll(() => first.told.map(shortly), soon).toEqual(['state a'])
      const lease = await thread.lease({ wait: false })
      await lease.release()
      first.stop.abort(new Error('enough'))
      await expect(first.ended).rejects.toThrow('enough')
      await two.close()
      await second.ended
      await thread.save({ done: ['b'] })
      expect(first.told.map(shortly)).toEqual(['state a'])
      for (const options of [{ signal: 1 }, { singal: undefined }, 1])
        expect(() => thread.watch(options as never)).toThrow(expect.objectContaining({ code: 'INVALID' }))
    }),
  )

  it(
    'who watches sees a thread go, and come again',
    on(fresh, async (one, ground) => {
      const two = await ground.open()
      const thread = one.thread<Log>('a')
      for (const done of [['a'], ['b'], ['c']]) await thread.save({ done })
      await one.flush()
      const { told } = watching(two)
      await expect.poll(() => told.map(shortly), soon).toEqual(['state c'])
      await thread.delete()
      await thread.save({ done: ['d'] })
      await one.flush()
      await expect.poll(() => told.map(shortly), soon).toEqual(['state c', 'state d'])
    }),
  )
}
