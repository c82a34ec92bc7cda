import { MemorySaver } from '@langchain/langgraph/web'
import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { stages, tell } from '../../support/graph-story.ts'

const name = `graph-${Math.random().toString(36).slice(2)}`

/** A page of its own, which is loaded anew for each stage: nothing of the one before is left but what is stored. */
async function inPages() {
  const frame = document.createElement('iframe')
  const script = new URL('../../support/graph-page.ts', import.meta.url).href
  onTestFinished(() => frame.remove())
  document.body.append(frame)
  return (stage: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = `${name}:${stage}`
      const channel = new BroadcastChannel(id)
      channel.addEventListener('message', ({ data }: MessageEvent<{ told?: unknown; error?: string }>) => {
        channel.close()
        if (data.error === undefined) resolve(data.told)
        else reject(new Error(data.error))
      })
      const about = JSON.stringify({ name, stage, id })
      // What Vitest serves asks for its runner at each import(); there is none in this page.
      frame.srcdoc = `<script type="module">
        globalThis.__vitest_browser_runner__ = { wrapDynamicImport: (load) => load() }
        const { play } = await import(${JSON.stringify(script)})
        await play(${about})
      </script>`
    })
}

it('a graph whose page is reloaded at every stop ends as with MemorySaver unreloaded', async () => {
  const memory = new MemorySaver()
  const inPage = await inPages()
  for (let stage = 0; stage < stages; stage++) expect(await inPage(stage)).toEqual(await tell(stage, memory))
  await (await openCheckpointer({ name })).destroy()
})
