import { indexedDbHost } from '../../src/worker/in-process.ts'
import { serve } from '../../src/worker/serve.ts'

/** A worker of the caller's own, with work beside ours: it serves a store on each port that it is handed. */
addEventListener('message', ({ ports }: MessageEvent) => {
  for (const port of ports) serve(port, indexedDbHost)
})
