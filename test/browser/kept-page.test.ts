import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { isWebKit } from '../../src/platform/engine.ts'
import { empty, openWindow } from '../support/fresh-pages.ts'
import type { Saved } from '../support/kept-page.ts'
import { newName } from '../support/workers.ts'

const script = new URL('../support/kept-page.ts', import.meta.url)

const inTime = async <T>(work: Promise<T>): Promise<T | 'not in time'> =>
  Promise.race([work, new Promise<'not in time'>((resolve) => setTimeout(resolve, 10_000, 'not in time'))])

it.each([
  { worker: 'auto', durability: 'sync' },
  { worker: 'auto', durability: 'async' },
  { worker: false, durability: 'sync' },
  { worker: false, durability: 'exit' },
] as const)(
  'a page that was left by a link holds up nobody, and goes on when it is back: worker $worker, $durability',
  async ({ worker, durability }) => {
    const name = newName()
    onTestFinished(() => empty(name))
    const { leave, back, look } = await openWindow(script, { name, worker, durability })
    for (let n = 1; n <= 3; n++) {
      await leave()
      const checkpointer = await openCheckpointer({ name, onWarning: () => {} })
      expect(await inTime(checkpointer.thread('other').save({ n }))).toMatchObject({ seq: n })
      expect(await inTime(checkpointer.thread('saved').load())).toHaveProperty('state.n')
      await checkpointer.close()
      await back()
      const before = look() as Saved | undefined
      // Only this engine keeps a page that others have opened.
      if (isWebKit()) expect(before).toBeDefined()
      if (!before) return
      await expect.poll(() => (look() as Saved).saved).toBeGreaterThan(before.saved + 3)
      await expect.poll(() => (look() as Saved).loaded).toBeGreaterThan(before.loaded + 3)
    }
  },
)
