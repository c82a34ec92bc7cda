import { MemorySaver } from '@langchain/langgraph/web'
import { expect, it } from 'vitest'
import { freshPages } from '../../support/fresh-pages.ts'
import { stages, tell } from '../../support/graph-story.ts'

/** Enough also where nine pages, or workers, take long to load. */
const LONG = { timeout: 120_000 }

it('a graph whose page is reloaded at every stop ends as with MemorySaver unreloaded', LONG, async () => {
  // Nobody removes it: WebKit holds the database of a page that has gone for longer than a test takes.
  const name = `graph-${Math.random().toString(36).slice(2)}`
  const memory = new MemorySaver()
  const { load } = freshPages(new URL('../../support/graph-page.ts', import.meta.url))
  for (let stage = 0; stage < stages; stage++)
    expect(await load({ name, stage })).toEqual(await tell(stage, memory))
})

/** In a worker that is made for it, and terminated when it has told. */
async function toldByWorker(name: string, stage: number): Promise<unknown> {
  const url = new URL('../../support/graph-worker.ts', import.meta.url)
  const worker = new Worker(url, { type: 'module' })
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<{ told?: unknown; error?: string }>) => {
        if (data.error === undefined) resolve(data.told)
        else reject(new Error(data.error))
      })
      worker.addEventListener('error', ({ message }) => reject(new Error(message)))
      worker.postMessage({ name, stage })
    })
  } finally {
    worker.terminate()
  }
}

it('a graph whose worker is terminated at every stop ends so, too', LONG, async () => {
  const name = `graph-${Math.random().toString(36).slice(2)}`
  const memory = new MemorySaver()
  for (let stage = 0; stage < stages; stage++)
    expect(await toldByWorker(name, stage)).toEqual(await tell(stage, memory))
})

it(
  'a graph whose page goes inside of nodes goes on, and the tasks beside them are not done again',
  LONG,
  async () => {
    const name = `graph-${Math.random().toString(36).slice(2)}`
    const { load } = freshPages(new URL('../../support/graph-inside-page.ts', import.meta.url))
    expect(await load({ name, leavesIn: 'slow' })).toEqual({ begun: ['other', 'quick', 'slow'] })
    // Only the one that did not end is begun again, and then the next.
    expect(await load({ name, leavesIn: 'last' })).toEqual({ begun: ['last', 'slow'] })
    const { log, begun } = (await load({ name })) as { log: string[]; begun: string[] }
    expect(begun).toEqual(['last'])
    expect([log[0], ...log.slice(1, 4).toSorted(), ...log.slice(4)]).toEqual([
      'begun',
      'other',
      'quick',
      'slow',
      'last',
    ])
  },
)
