/** A worker that tells one stage of the story, with the store in the same thread; whoever made it ends it. */
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { tell } from './graph-story.ts'

// What Vitest serves asks for its runner at each import(); there is none in a worker.
Object.assign(globalThis, {
  __vitest_browser_runner__: { wrapDynamicImport: (load: () => unknown) => load() },
})

globalThis.onmessage = async ({ data }: MessageEvent<{ name: string; stage: number }>) => {
  try {
    const checkpointer = await openCheckpointer({ name: data.name, worker: false })
    globalThis.postMessage({ told: await tell(data.stage, new ForkpointSaver(checkpointer)) })
  } catch (error) {
    globalThis.postMessage({ error: String(error instanceof Error ? error.stack : error) })
  }
}
