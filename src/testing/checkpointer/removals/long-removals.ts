import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { Thread } from '../../../checkpointer/thread.ts'
import { listOf, on, range, seqsOf, type Fresh } from '../ground.ts'

/** More than goes in one commit. */
const MANY = 1_200
const LAST = 20

interface Step {
  readonly n: number
  readonly text: string
}

const stepOf = (n: number): Step => ({ n, text: `step ${n} `.repeat(n % 5) })

async function longThread(checkpointer: Checkpointer): Promise<Thread<Step>> {
  const thread = checkpointer.thread<Step>('long')
  const saves = range(1, MANY).map((n) => thread.save(stepOf(n), n % 400 === 0 ? { label: `mark ${n}` } : {}))
  await Promise.all(saves)
  return thread
}

async function expectWhole(checkpointer: Checkpointer, thread: Thread<Step>): Promise<void> {
  for (const { seq, state } of await listOf(thread.history({ states: true })))
    expect(state).toEqual(stepOf(seq))
  expect((await checkpointer.verify()).problems).toEqual([])
}

const KEPT = [400, 800, ...range(MANY - LAST + 1, MANY)]

/** What holds when more is removed than one commit should carry. */
export function longRemovalLaws(fresh: Fresh): void {
  it(
    'a long prune comes to what its rules said when it began, and tells how far it is',
    { timeout: 180_000 },
    on(fresh, async (checkpointer) => {
      const thread = await longThread(checkpointer)
      const rules = { keepLast: LAST, keepLabelled: true }
      const would = await thread.prune({ ...rules, dryRun: true })
      const told: number[] = []
      const gone = await thread.prune({ ...rules, onProgress: (removed) => void told.push(removed) })
      expect(gone.removed.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(
        would.removed.map(({ seq }) => seq),
      )
      expect(gone).toMatchObject({ kept: KEPT.length })
      expect(gone.bytes).toBeGreaterThan(0)
      expect(told.length).toBeGreaterThan(1)
      expect(told).toEqual(told.toSorted((a, b) => a - b))
      expect(told.at(-1)).toBe(gone.removed.length)
      expect(await seqsOf(thread.history({ order: 'oldest' }))).toEqual(KEPT)
      await expectWhole(checkpointer, thread)
    }),
  )

  it(
    'a long prune that is stopped leaves a whole thread with fewer checkpoints, and can be finished',
    { timeout: 180_000 },
    on(fresh, async (checkpointer) => {
      const thread = await longThread(checkpointer)
      const fork = await thread.fork({ at: 600, as: 'fork' })
      const stopping = new AbortController()
      const rules = { keepLast: LAST, keepLabelled: true }
      let removed = 0
      const reason = new Error('enough')
      const onProgress = (count: number): void => {
        removed = count
        stopping.abort(reason)
      }
      await expect(thread.prune({ ...rules, signal: stopping.signal, onProgress })).rejects.toBe(reason)
      const left = await seqsOf(thread.history())
      expect(left).toHaveLength(MANY - removed)
      for (const seq of KEPT) expect(left).toContain(seq)
      await expectWhole(checkpointer, thread)
      await thread.save(stepOf(MANY + 1))
      await thread.prune(rules)
      expect(await seqsOf(thread.history({ order: 'oldest' }))).toEqual([400, 800, ...range(1182, 1201)])
      await expectWhole(checkpointer, thread)
      expect(await seqsOf(fork.history())).toHaveLength(600)
      await expectWhole(checkpointer, fork)
    }),
  )

  it(
    'what is saved while very many checkpoints are deleted stays, and so does what stands on them',
    { timeout: 180_000 },
    on(fresh, async (checkpointer) => {
      const thread = await longThread(checkpointer)
      const even = range(1, MANY).filter((n) => n % 2 === 0)
      let saved = MANY
      const saves: Promise<unknown>[] = []
      const onProgress = (): void => void saves.push(thread.save(stepOf(++saved), { parent: MANY - 1 }))
      const gone = await thread.deleteCheckpoints(even, { onProgress })
      await Promise.all(saves)
      expect(gone.removed).toHaveLength(even.length)
      const odd = range(1, MANY).filter((n) => n % 2 === 1)
      expect(await seqsOf(thread.history({ order: 'oldest' }))).toEqual([...odd, ...range(MANY + 1, saved)])
      await expectWhole(checkpointer, thread)
    }),
  )

  it(
    'with a signal that is aborted already nothing is removed',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Step>('short')
      for (const n of range(1, 3)) await thread.save(stepOf(n), { runId: 'r' })
      const signal = AbortSignal.abort(new Error('never'))
      await expect(thread.prune({ keepLast: 1, signal })).rejects.toThrow('never')
      await expect(thread.deleteCheckpoints([1], { signal })).rejects.toThrow('never')
      await expect(thread.deleteRun('r', { signal })).rejects.toThrow('never')
      expect(await seqsOf(thread.history())).toEqual([3, 2, 1])
    }),
  )
}
