import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { isWebKit } from '../../src/platform/engine.ts'
import { empty, freshPages } from '../support/fresh-pages.ts'
import { newName } from '../support/workers.ts'

const script = new URL('../support/saving-page.ts', import.meta.url)
/** Only WebKit keeps a lock, one time in fifty. */
const LOADS = isWebKit() ? 120 : 30

it('a page that is loaded again and again as it opens and saves leaves a database that can be written to', async () => {
  const name = newName()
  onTestFinished(() => empty(name))
  const { load } = freshPages(script)
  for (let n = 1; n <= LOADS; n++) {
    await load({ name, moments: Math.random() * 25 })
    if (n % 5 !== 0) continue
    // As another tab beside it, which waits no longer than a person would.
    const checkpointer = await openCheckpointer({ name, worker: false, onWarning: () => {} })
    const saved = checkpointer.thread('other').save({ n })
    const late = new Promise((resolve) => setTimeout(resolve, 10_000))
    expect(await Promise.race([saved, late])).toMatchObject({ seq: n / 5 })
    await checkpointer.close()
  }
}, 90_000)
