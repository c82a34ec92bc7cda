import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import { listOf, on, range, type Fresh } from '../ground.ts'

/** A graph has one for each task of a subgraph: more than one commit of some storages can take something of. */
const MANY = 60

/** A thread with so many namespaces, each of two checkpoints, the first by the run `r`, with a pending write. */
async function made(checkpointer: Checkpointer): Promise<void> {
  await checkpointer.thread<number>('a').save(0, { runId: 'r' })
  await Promise.all(
    range(1, MANY).map(async (n) => {
      const thread = checkpointer.thread<number>('a', { namespace: `sub:${n}` })
      const { seq } = await thread.save(n, { runId: 'r' })
      await thread.putWrites(seq, 'task', [{ channel: 'channel', value: n }])
      await thread.save(-n)
    }),
  )
}

/** What holds for a thread of more namespaces than one commit may hold. */
export function manyNamespacesLaws(fresh: Fresh): void {
  it(
    'a thread of many namespaces is deleted, and what its fork shows stays',
    { timeout: 180_000 },
    on(fresh, async (checkpointer) => {
      await made(checkpointer)
      await checkpointer.thread('a', { namespace: 'sub:7' }).fork({ as: 'fork' })
      expect(await checkpointer.thread('a').delete()).toBe(true)
      expect(await checkpointer.thread('a').namespaces()).toEqual([])
      expect((await listOf(checkpointer.threads())).map(({ id }) => id)).toEqual(['fork'])
      expect((await checkpointer.thread('fork', { namespace: 'sub:7' }).load())?.state).toBe(-7)
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'a run over many namespaces is deleted, and nothing else',
    { timeout: 180_000 },
    on(fresh, async (checkpointer) => {
      await made(checkpointer)
      const { removed } = await checkpointer.thread('a').deleteRun('r')
      expect(removed).toHaveLength(MANY + 1)
      for (const n of [1, MANY]) {
        const left = await listOf(
          checkpointer.thread('a', { namespace: `sub:${n}` }).history({ states: true }),
        )
        expect(left.map(({ state }) => state)).toEqual([-n])
      }
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )
}
