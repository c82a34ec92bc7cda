import { expect, it, onTestFinished } from 'vitest'
import type { Found } from '../support/asking-page.ts'
import { empty, freshPages } from '../support/fresh-pages.ts'
import { newName } from '../support/workers.ts'

const script = new URL('../support/asking-page.ts', import.meta.url)
/** Longer than a test looks at it. */
const url = new URL('../support/blank.html?answered_after=20000', import.meta.url).href

it.each([
  { worker: 'auto', after: 0 },
  { worker: false, after: 0 },
  // Firefox and WebKit have cut off what it asked for, and the page lives on until the next one is there.
  { worker: 'auto', after: 1500 },
] as const)(
  'what a page has asked for when it goes has not failed, as nobody knows the end: worker $worker, next page after $after ms',
  async ({ worker, after }) => {
    const name = newName()
    onTestFinished(() => empty(name))
    const { load } = freshPages(script)
    await load({ name, worker, url, isFirst: true })
    const found = (await load({ name, worker, url, isFirst: false }, after)) as Record<string, Found>
    for (const { status } of Object.values(found)) expect(status).not.toBe('failed')
    expect(found).toMatchObject({
      step: { doubts: ['step'] },
      caught: { doubts: ['caught'] },
      stream: { doubts: ['stream'] },
      told: { doubts: ['told 1'] },
    })
  },
)
