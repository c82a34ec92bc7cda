import { expect, it } from 'vitest'
import type { Removed } from '../../../checkpointer/removals/removals.ts'
import type { Thread } from '../../../checkpointer/thread.ts'
import { listOf, on, range, type Fresh } from '../ground.ts'

interface Page {
  readonly n: number
  readonly text: string
}

const LAST = 9

/** The large one makes its chain worth a new keyframe, which comes while others are saved on it. */
const pageOf = (n: number, large: number): Page => ({ n, text: 'z'.repeat(n === large ? 70_000 : 50) })

/** Each takes the large one, which is third, fourth or fifth, and what else stands between those that stay. */
const REMOVALS: readonly (readonly [string, (thread: Thread<Page>, large: number) => Promise<Removed>])[] = [
  ['deleteRun', (thread, large) => thread.deleteRun(`run ${large % 2}`)],
  ['deleteCheckpoints', (thread, large) => thread.deleteCheckpoints([large, 7, 8])],
  ['prune, by places', (thread) => thread.prune({ keepLast: 2, ancestors: 'drop' })],
  [
    'prune, every other',
    (thread, large) => thread.prune({ keepEvery: large === 4 ? 3 : 2, ancestors: 'drop' }),
  ],
  ['prune, by bytes', (thread) => thread.prune({ maxBytes: 3000, ancestors: 'drop' })],
]

/** Removals that take a keyframe which was written late. */
export function cleanRemovalLaws(fresh: Fresh): void {
  for (const [name, removal] of REMOVALS)
    it(
      `${name}: what is left is whole, and verify finds nothing, where a large state in the middle went`,
      on(fresh, async (one, ground) => {
        const other = await ground.open()
        for (const [large, awaited] of range(3, 5).flatMap((n) =>
          range(1, 4).map((each) => [n, each] as const),
        )) {
          const thread = one.thread<Page>(`${large} ${awaited}`)
          const saves: Promise<unknown>[] = []
          for (const n of range(1, LAST)) {
            saves.push(thread.save(pageOf(n, large), { runId: `run ${n % 2}` }))
            if (n % awaited === 0) await saves.at(-1)
          }
          await Promise.all(saves)
          await one.flush()
          const gone = await removal(thread, large)
          expect(gone.removed.map(({ seq }) => seq)).toContain(large)
          await one.flush()
          const seen = other.thread<Page>(thread.id)
          const left = await listOf(seen.history({ states: true }))
          expect(left).toHaveLength(LAST - gone.removed.length)
          for (const { seq, state } of left) expect(state).toEqual(pageOf(seq, large))
          expect((await seen.load())?.seq).toBe(left[0]?.seq)
          expect((await other.verify()).problems).toEqual([])
        }
      }),
    )
}
