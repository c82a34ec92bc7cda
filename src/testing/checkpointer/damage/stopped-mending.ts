import { expect, it } from 'vitest'
import type { Act } from '../../../checkpoint.ts'
import { damage, HEARS_OF_LOSSES, made, onRows } from './rows.ts'
import { on, range, seqsOf, type Fresh } from '../ground.ts'

/** What a signal stops of `verify`. */
export function stoppedMendingLaws(fresh: Fresh): void {
  const law = onRows(fresh)

  it(
    'a check that is stopped ends with the reason, whatever it was about',
    on(fresh, async (checkpointer) => {
      await made(checkpointer)
      for (const repair of [false, 'plan', true] as const) {
        const stopping = new AbortController()
        const reason = new Error('enough')
        const checked = checkpointer.verify({ repair, signal: stopping.signal })
        stopping.abort(reason)
        await expect(checked).rejects.toBe(reason)
      }
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  law(
    'with a signal that is aborted already nothing is checked and nothing mended',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await damage(storage, ({ facts }) => facts['seq'] === 5)
      const reader = await ground.open(HEARS_OF_LOSSES)
      const { problems } = await reader.verify()
      const reason = new Error('never')
      let told = 0
      for (const repair of [false, 'plan', true] as const) {
        const onProgress = (): void => void told++
        await expect(reader.verify({ repair, signal: AbortSignal.abort(reason), onProgress })).rejects.toBe(
          reason,
        )
      }
      expect(told).toBe(0)
      expect(problems).not.toEqual([])
      expect((await reader.verify()).problems).toEqual(problems)
    },
  )

  law(
    'a repair that is stopped has told each of its acts, does no more, and can be finished',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await damage(storage, ({ facts }) => facts['seq'] === 3)
      const reader = await ground.open(HEARS_OF_LOSSES)
      const { acts: plan } = await reader.verify({ repair: 'plan' })
      const done: Act[] = []
      // One act more each time, as long as there are some.
      for (let stops = 0; done.length < plan.length; stops++) {
        const stopping = new AbortController()
        const reason = new Error('enough')
        let told: readonly Act[] = []
        const onProgress = (_checked: number, acts: readonly Act[]): void => {
          told = acts
          if (acts.length > 0) stopping.abort(reason)
        }
        await expect(reader.verify({ repair: true, signal: stopping.signal, onProgress })).rejects.toBe(
          reason,
        )
        done.push(...told)
        expect(stops).toBeLessThan(plan.length)
        if (done.length < plan.length) expect((await reader.verify()).problems).not.toEqual([])
      }
      expect(plan.length).toBeGreaterThan(3)
      expect(done).toEqual(plan)
      expect((await reader.verify({ repair: true })).acts).toEqual([])
      expect(await seqsOf(reader.thread('a').history({ order: 'oldest' }))).toEqual(range(1, 2))
    },
  )
}
