import { expect, it } from 'vitest'
import { on, type Fresh } from '../ground.ts'
import type { Loop } from '../../../checkpointer/runs/types.ts'
import { onTwo, until } from '../sync/two.ts'
import type { Log } from './loops.ts'

/** Runs of threads whose head is not what came last. */
export function divergedRunLaws(fresh: Fresh): void {
  it.each(['as it is', 'once a head is chosen'])(
    'a run that waits is answered also when another store has gone on with its thread, %s',
    (which) =>
      onTwo(fresh, async (here, there) => {
        const [mine, theirs] = [here.thread<Log>('t'), there.thread<Log>('t')]
        await mine.save({ done: ['both'] })
        await here.sync(there)
        const running = mine.run({}, async (loop) => {
          loop.state.done.push(await loop.ask<string>('Go?'))
        })
        await until(async () => (await mine.latestRun())?.status === 'waiting')
        await theirs.save({ done: ['both', 'there'] })
        await here.sync(there)
        const [own, other] = await mine.heads()
        expect(other?.seq).toBeGreaterThan(own?.seq ?? Number.NaN)
        if (which !== 'as it is') await mine.chooseHead(own?.id ?? '')
        await mine.answer('yes')
        await running
        expect((await mine.load())?.state.done).toEqual(['both', 'yes'])
      })(),
  )

  it(
    'a copy goes on with no run of its origin, whichever of its heads is chosen',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Log>('t'), there.thread<Log>('t')]
      await mine.save({ done: ['both'] })
      await here.sync(there)
      const running = theirs.run({ runId: 'r' }, async (loop) => void (await loop.ask<string>('Go?')))
      await until(async () => (await theirs.latestRun())?.status === 'waiting')
      await mine.save({ done: ['both', 'here'] })
      await here.sync(there)
      const other = (await mine.heads())[1]?.id ?? ''
      const copy = await mine.copy('copy')
      for (const thread of [mine, copy]) await thread.chooseHead(other)
      expect(await mine.latestRun()).toMatchObject({ runId: 'r', status: 'waiting' })
      expect(await copy.latestRun()).toBeUndefined()
      expect((await copy.run({}, () => 'new')).began).toBe('fresh')
      await theirs.answer('yes')
      await running
    }),
  )

  it(
    'a run that has finished is not run again because somebody has saved under its id',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Log>('t')
      await thread.run({ runId: 'r', initial: { done: [] } }, () => 'paid')
      for (const done of ['one', 'two']) await thread.save({ done: [done] }, { runId: 'r' })
      await checkpointer.flush()
      const again = (await ground.open()).thread<Log>('t')
      expect(await again.run({ runId: 'r' }, never)).toMatchObject({ result: 'paid' })
      await again.run({ runId: 's' }, () => 's')
      expect(await again.run({ runId: 'r' }, never)).toMatchObject({ result: 'paid' })
    }),
  )

  it(
    'a run that has finished is not run again because another store has gone on with it',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Log>('t'), there.thread<Log>('t')]
      await mine.run({ runId: 'r', initial: { done: [] } }, async (loop) => {
        await loop.save()
        await here.sync(there)
        loop.state.done.push('paid')
        return 'paid here'
      })
      await mine.run({ runId: 's' }, () => 's')
      await expect(theirs.run({ runId: 'r' }, failsAfterASave)).rejects.toThrow('no')
      await here.sync(there)
      const own = (await mine.heads())[0]?.id ?? ''
      expect(await mine.run({ runId: 'r' }, never)).toMatchObject({ result: 'paid here' })
      await mine.chooseHead(own)
      expect(await mine.run({ runId: 'r' }, never)).toMatchObject({ result: 'paid here' })
    }),
  )

  it(
    'a run that is left here stays finished on the branch where another store has finished it',
    onTwo(fresh, async (here, there) => {
      const [mine, theirs] = [here.thread<Log>('t'), there.thread<Log>('t')]
      await expect(mine.run({ runId: 'r', initial: { done: [] } }, failsAfterASave)).rejects.toThrow('no')
      await here.sync(there)
      await theirs.run({ runId: 'r' }, async (loop) => {
        loop.state.done.push('paid')
        return 'paid there'
      })
      await expect(mine.run({ runId: 'r' }, failsAfterASave)).rejects.toThrow('no')
      await here.sync(there)
      await mine.run({ runId: 's', from: 1 }, () => 's')
      expect(await mine.run({ runId: 'r' }, never)).toMatchObject({ result: 'paid there' })
    }),
  )
}

const never = () => expect.unreachable()

async function failsAfterASave(loop: Loop<Log>): Promise<never> {
  loop.state.done.push('begun')
  await loop.save()
  throw new Error('no')
}
