import { expect, it } from 'vitest'
import type { CheckpointerError } from '../../../errors.ts'
import { on, type Fresh } from '../ground.ts'
import { cutOff, type Log, type Work } from './loops.ts'

const EXTERNAL = { effect: 'external' } as const

/** Steps that a save leaves behind, and of which the state has nothing to say. */
export function notInStateLaws(fresh: Fresh): void {
  const warned = async (work: Work): Promise<CheckpointerError[]> => {
    const warnings: CheckpointerError[] = []
    await on(fresh, async (_, ground) => {
      const checkpointer = await ground.open({ onWarning: (warning) => void warnings.push(warning) })
      await checkpointer.thread<Log>('a').run({ initial: { done: [] } }, work)
    })()
    return warnings
  }

  it('an external step that a save leaves behind is warned of when the state does not say that it was done', async () => {
    const warnings = await warned(async (loop) => {
      for (let round = 0; round < 2; round++) {
        await loop.step('look', () => 'found')
        await loop.step('buy', () => 'bought', EXTERNAL)
        await loop.save({ node: 'bought' })
      }
    })
    expect(warnings.map(({ code, thread }) => [code, thread])).toEqual([['INVALID', 'a']])
    expect(warnings[0]?.message).toContain("'buy'")
  })

  it(
    'an external step that was done before the run was resumed is warned of as well',
    on(fresh, async (checkpointer, ground) => {
      const buys: Work = (loop) => loop.step('buy', () => 'bought', EXTERNAL)
      await cutOff(checkpointer.thread<Log>('a'), buys)
      const warnings: CheckpointerError[] = []
      const again = await ground.open({ onWarning: (warning) => void warnings.push(warning) })
      await again.thread<Log>('a').run({}, async (loop) => {
        await buys(loop)
        await loop.save()
      })
      expect(warnings.map(({ code }) => code)).toEqual(['INVALID'])
    }),
  )

  it('nothing is warned of when the state says so, when it has failed, was not external, or when the run ends there', async () => {
    const warnings = await warned(async (loop) => {
      loop.state.done.push(await loop.step('buy', () => 'bought', EXTERNAL))
      await loop.save()
      await loop.step('look', () => 'found')
      await loop.save()
      const failing = loop.step('fail', () => Promise.reject(new Error('no')), EXTERNAL)
      await expect(failing).rejects.toThrow('no')
      await loop.save()
      await loop.step('mail', () => 'sent', EXTERNAL)
    })
    expect(warnings).toEqual([])
  })
}
