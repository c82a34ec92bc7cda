import { expect, it } from 'vitest'
import type { CarryProgress } from '../../checkpointer/carry/export.ts'
import { bytesOf, furnish, FURNISHED, heldIn, inPieces, pictureOf, unfurnish } from './furnished.ts'
import {
  expectStates,
  fill,
  listOf,
  on,
  range,
  rejection,
  talk,
  talks,
  type Fresh,
  type Talk,
} from './ground.ts'

/** Export and import of files that are as they should be. */
export function carryingLaws(fresh: Fresh): void {
  it(
    'an export brings everything back: states, fields, forks, namespaces, gaps and pending writes',
    on(fresh, async (checkpointer) => {
      await furnish(checkpointer)
      const before = await pictureOf(checkpointer)
      const usage = await heldIn(checkpointer)
      const file = await bytesOf(checkpointer.export())
      await unfurnish(checkpointer)
      expect((await checkpointer.usage()).checkpoints).toBe(0)
      const imported = await checkpointer.import(inPieces(file))
      expect([...imported.threads].sort()).toEqual([...FURNISHED])
      expect(imported).toMatchObject({ skipped: [], renamed: [], missing: 0 })
      expect(await pictureOf(checkpointer)).toEqual(before)
      // Forks share rows still.
      expect((await checkpointer.usage()).checkpoints).toBeLessThanOrEqual(usage.checkpoints)
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'what was imported goes on: seqs, forks and removals',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 10)
      const fork = await origin.fork({ at: 6, as: 'fork' })
      await fill(fork, 8, 7, 'fork')
      await origin.deleteCheckpoints([10])
      const file = await bytesOf(checkpointer.export())
      await origin.delete()
      await fork.delete()
      await checkpointer.import(inPieces(file))
      expect((await origin.save(talk(11))).seq).toBe(11)
      const twin = await fork.fork({ at: 3, as: 'twin' })
      await origin.prune({ keepLast: 2 })
      await expectStates(fork, new Map([...talks(range(1, 6)), ...talks([7, 8], 'fork')]))
      await origin.delete()
      await fork.delete()
      await expectStates(twin, talks([1, 2, 3]))
      await twin.delete()
      expect(await checkpointer.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
    }),
  )

  it(
    'one thread brings along what it borrows, and nothing else of others',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 10)
      const fork = await origin.fork({ at: 6, as: 'fork' })
      await fill(fork, 8, 7, 'fork')
      await fork.deleteCheckpoints([1, 4])
      const file = await bytesOf(checkpointer.export('fork'))
      const before = await pictureOf(checkpointer, ['fork'])
      await origin.delete()
      await fork.delete()
      expect((await checkpointer.import(inPieces(file))).threads).toEqual(['fork'])
      expect(await pictureOf(checkpointer)).toEqual(before)
      expect((await checkpointer.usage()).checkpoints).toBe(6)
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'a thread that is here already: all is refused, it is skipped, or it gets another name',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 6)
      const fork = await origin.fork({ at: 5, as: 'fork' })
      await fill(fork, 8, 6, 'fork')
      await fork.deleteCheckpoints([2])
      const whole = await bytesOf(checkpointer.export())
      await fork.delete()
      await origin.save(talk(7, 'since'))
      const before = await pictureOf(checkpointer)
      const usage = await heldIn(checkpointer)

      const error = await rejection(checkpointer.import(inPieces(whole)), 'CONFLICT')
      expect(error.thread).toBe('origin')
      expect(await pictureOf(checkpointer)).toEqual(before)
      expect(await heldIn(checkpointer)).toEqual(usage)

      const forked = new Map([...talks([1, 3, 4, 5]), ...talks([6, 7, 8], 'fork')])
      const skipped = await checkpointer.import(inPieces(whole), { onConflict: 'skip' })
      expect(skipped).toMatchObject({ threads: ['fork'], skipped: ['origin'], renamed: [] })
      await expectStates(fork, forked)
      await expectStates(origin, new Map([...talks(range(1, 6)), [7, talk(7, 'since')]]))
      expect((await checkpointer.verify()).problems).toEqual([])

      const renamed = await checkpointer.import(inPieces(whole), { onConflict: 'rename' })
      expect(renamed.renamed).toHaveLength(2)
      expect(new Set(renamed.threads)).toEqual(new Set(['fork-2', 'origin-2']))
      await expectStates(checkpointer.thread<Talk>('origin-2'), talks(range(1, 6)))
      await expectStates(checkpointer.thread<Talk>('fork-2'), forked)
      const [again] = await listOf(checkpointer.threads({ where: ({ id }) => id === 'fork-2' }))
      expect(again?.forkOf?.thread).toBe('origin-2')
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'an export of nothing is a file, and comes back as nothing',
    on(fresh, async (checkpointer) => {
      const file = await bytesOf(checkpointer.export())
      expect(file.length).toBeGreaterThan(0)
      expect(await checkpointer.import(inPieces(file, 7))).toMatchObject({ threads: [], checkpoints: 0 })
    }),
  )

  it(
    'packed, it comes back the same',
    on(fresh, async (checkpointer) => {
      await fill(checkpointer.thread<Talk>('t'), 20)
      const before = await pictureOf(checkpointer)
      const file = await bytesOf(checkpointer.export('t', { compress: true }))
      expect(file.length).toBeLessThan((await bytesOf(checkpointer.export('t'))).length)
      await checkpointer.thread('t').delete()
      await checkpointer.import(new Blob([file]))
      expect(await pictureOf(checkpointer)).toEqual(before)
    }),
  )

  it(
    'an unknown thread is refused before the first byte',
    on(fresh, async (checkpointer) => {
      await checkpointer.thread('t').save(1)
      const file = checkpointer.export(['t', 'nobody'])[Symbol.asyncIterator]()
      expect(await rejection(file.next(), 'NOT_FOUND')).toMatchObject({ thread: 'nobody' })
    }),
  )

  it(
    'an export is whole whatever others do meanwhile',
    on(fresh, async (checkpointer, ground) => {
      const other = await ground.open()
      const thread = checkpointer.thread<Talk>('busy')
      await fill(thread, 40)
      const theirs = other.thread<Talk>('busy')
      let isDone = false
      const busy = (async () => {
        for (let i = 0; !isDone && i < 30; i++) {
          await theirs.save(talk(50 + i))
          if (i % 3 === 0) await theirs.fork({ as: `fork-${i}` })
          if (i % 5 === 0) await theirs.deleteCheckpoints([i + 3])
        }
      })()
      const files: Uint8Array[] = []
      for (let i = 0; i < 3; i++) files.push(await bytesOf(checkpointer.export('busy')))
      isDone = true
      await busy
      for (const file of files) {
        await checkpointer.import(inPieces(file), { onConflict: 'rename' })
      }
      expect((await checkpointer.verify()).problems).toEqual([])
      for (const id of ['busy-2', 'busy-3', 'busy-4']) {
        const states = await listOf(checkpointer.thread<Talk>(id).history({ states: true }))
        expect(states.length).toBeGreaterThan(20)
        for (const { state } of states) expect(state).toEqual(talk(state.count))
      }
    }),
  )

  it(
    'both tell how far they are, and stop when they are told to, leaving nothing',
    on(fresh, async (checkpointer) => {
      await fill(checkpointer.thread<Talk>('t'), 25)
      const told: CarryProgress[] = []
      const onProgress = (progress: CarryProgress): void => void told.push(progress)
      const file = await bytesOf(checkpointer.export('t', { onProgress }))
      expect(told.at(-1)).toEqual({ checkpoints: 25, bytes: file.length })

      const stop = new AbortController()
      const reason = new Error('enough')
      stop.abort(reason)
      const stopped = checkpointer.export('t', { signal: stop.signal })[Symbol.asyncIterator]()
      await expect(stopped.next()).rejects.toBe(reason)

      const usage = await heldIn(checkpointer)
      const midway = new AbortController()
      const importing = checkpointer.import(inPieces(file, 200), {
        onConflict: 'rename',
        signal: midway.signal,
        onProgress: ({ checkpoints }) => void (checkpoints > 9 && midway.abort(reason)),
      })
      await expect(importing).rejects.toBe(reason)
      expect(await heldIn(checkpointer)).toEqual(usage)

      const hanging = new AbortController()
      const never = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(file.slice(0, 2000)) })
      const waiting = checkpointer.import(never, { onConflict: 'rename', signal: hanging.signal })
      setTimeout(() => hanging.abort(reason), 20)
      await expect(waiting).rejects.toBe(reason)
      expect(await heldIn(checkpointer)).toEqual(usage)
      await checkpointer.import(inPieces(file), { onConflict: 'rename', onProgress })
      expect(told.at(-1)).toEqual({ checkpoints: 25, bytes: file.length })
    }),
  )

  it(
    'while a file is imported nothing of it is seen, and nothing looks damaged',
    on(fresh, async (checkpointer, ground) => {
      const other = await ground.open()
      // The first family of the file stands there, in whole, while the others come.
      await fill(checkpointer.thread<Talk>('a'), 10)
      const thread = checkpointer.thread<Talk>('t')
      await fill(thread, 20)
      await (await thread.fork({ at: 12, as: 'fork' })).putWrites(3, 'task', [{ channel: 'c', value: 1 }])
      const file = await bytesOf(checkpointer.export())
      async function* looking() {
        for await (const piece of inPieces(file, Math.ceil(file.length / 4))) {
          yield piece
          expect((await listOf(other.threads())).map(({ id }) => id).sort()).toEqual(['a', 'fork', 't'])
          expect((await other.verify()).problems).toEqual([])
          expect((await other.usage()).threads).toBe(3)
        }
      }
      await checkpointer.import(looking(), { onConflict: 'rename' })
      expect((await other.verify()).problems).toEqual([])
      expect((await other.usage()).threads).toBe(6)
    }),
  )

  it(
    'two imports of one file at once: one of them, or both under names of their own',
    on(fresh, async (checkpointer, ground) => {
      const other = await ground.open()
      await fill(checkpointer.thread<Talk>('a'), 5)
      await fill(checkpointer.thread<Talk>('b'), 5)
      const file = await bytesOf(checkpointer.export())
      await checkpointer.thread('a').delete()
      await checkpointer.thread('b').delete()
      const results = await Promise.allSettled(
        [checkpointer, other].map((each) => each.import(inPieces(file))),
      )
      expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' })
      await Promise.all(
        [checkpointer, other].map((each) => each.import(inPieces(file), { onConflict: 'rename' })),
      )
      const threads = await listOf(checkpointer.threads())
      expect(threads.filter(({ id }) => id.startsWith('a'))).toHaveLength(threads.length / 2)
      for (const { id } of threads) await expectStates(checkpointer.thread<Talk>(id), talks(range(1, 5)))
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )
}
