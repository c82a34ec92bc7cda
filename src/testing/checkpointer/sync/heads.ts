import { expect, it } from 'vitest'
import { fill, listOf, rejection, talk, type Fresh, type Talk } from '../ground.ts'
import { contentsOf, onTwo, until } from './two.ts'

/** Which heads a thread has when two stores went on with it. */
export function headsOfBothLaws(fresh: Fresh): void {
  it(
    'who alone went on is followed: no head is left behind, also after a branch',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 3)
      await here.sync(there)
      await mine.save(talk(4, 'branch'), { parent: 2 })
      await here.sync(there)
      expect((await theirs.load())?.state).toEqual(talk(4, 'branch'))
      expect(await theirs.heads()).toHaveLength(1)
      await theirs.save(talk(5))
      await there.sync(here)
      expect((await mine.load())?.state).toEqual(talk(5))
      expect(await mine.heads()).toHaveLength(1)
    }),
  )

  it(
    'two that both went on become branches of one thread: each keeps its head, and is shown the other',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 2)
      await here.sync(there)
      const a = await mine.save(talk(3, 'here'))
      const b = await theirs.save(talk(3, 'there'))
      expect((await here.sync(there)).diverged).toEqual(['t'])
      expect((await mine.load())?.id).toBe(a.id)
      expect((await theirs.load())?.id).toBe(b.id)
      expect((await mine.heads()).map(({ id }) => id)).toEqual([a.id, b.id])
      expect((await theirs.heads()).map(({ id }) => id)).toEqual([b.id, a.id])
      const [summary] = await listOf(here.threads())
      expect(summary?.otherHeads?.map(({ id }) => id)).toEqual([b.id])
      expect((await mine.load(b.id))?.state).toEqual(talk(3, 'there'))
      expect((await mine.load(b.id))?.parentId).toBe(a.parentId)
      expect((await here.verify()).problems).toEqual([])
    }),
  )

  it(
    'the head that one chooses is the head of both, and saves go on from it',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 2)
      await here.sync(there)
      await mine.save(talk(3, 'here'))
      const b = await theirs.save(talk(3, 'there'))
      await here.sync(there)
      await rejection(mine.chooseHead(1), 'NOT_FOUND')
      expect((await mine.chooseHead(b.id)).id).toBe(b.id)
      expect((await mine.load())?.state).toEqual(talk(3, 'there'))
      const [summary] = await listOf(here.threads())
      expect(summary?.otherHeads).toBeUndefined()
      expect((await here.verify()).problems).toEqual([])
      await here.sync(there)
      expect((await theirs.heads()).map(({ id }) => id)).toEqual([b.id])
      const next = await mine.save(talk(4, 'there'))
      expect(next.parentId).toBe(b.id)
      await there.sync(here)
      expect((await theirs.load())?.id).toBe(next.id)
      expect((await there.sync(here)).diverged).toEqual([])
      expect(await contentsOf(there)).toEqual(await contentsOf(here))
    }),
  )

  it(
    "of two checkpoints under one id of the caller's each side keeps its own, also as its head, and is told each time",
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      await fill(mine, 2)
      await here.sync(there)
      await mine.save(talk(3, 'here'), { id: 'three' })
      await theirs.save(talk(3, 'there'), { id: 'three' })
      await theirs.save(talk(4, 'there'), { id: 'four' })
      for (let times = 0; times < 2; times++) {
        const { conflicts } = await here.sync(there)
        expect(conflicts).toEqual([{ thread: 't', namespace: '', id: 'three' }])
        expect((await mine.load({ id: 'three' }))?.state).toEqual(talk(3, 'here'))
        expect((await mine.heads()).map(({ id }) => id)).toContain('three')
        expect((await theirs.load({ id: 'three' }))?.state).toEqual(talk(3, 'there'))
      }
      await theirs.deleteCheckpoints(['three'])
      await until(async () => {
        await here.sync(there)
        return (await theirs.load({ id: 'three' })) !== undefined
      })
      expect((await theirs.load({ id: 'three' }))?.state).toEqual(talk(3, 'here'))
    }),
  )

  it(
    'what stands with a head comes along later too, and a run that runs elsewhere is no orphan here',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Talk>('t'), there.thread<Talk>('t')]
      const asked = mine.run({ initial: talk(1), runId: 'run' }, (loop) => loop.ask<string>('Go?'))
      await until(async () => (await mine.latestRun())?.status === 'waiting')
      await here.sync(there)
      expect(await theirs.latestRun()).toMatchObject({ runId: 'run', status: 'waiting' })
      await theirs.answer('yes')
      await here.sync(there)
      expect((await asked).result).toBe('yes')
      await here.sync(there)
      expect(await theirs.latestRun()).toMatchObject({ runId: 'run', status: 'finished' })
    }),
  )
}
