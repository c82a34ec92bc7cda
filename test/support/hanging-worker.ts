import type { Endpoint } from 'comlink'
import { indexedDbHost } from '../../src/worker/in-process.ts'
import { serve } from '../../src/worker/serve.ts'

/** The worker as it is, but that asking for the usage never ends, and lets nothing else happen. */
serve(globalThis as unknown as Endpoint, async ({ name }, onWarning) => ({
  ...(await indexedDbHost({ name }, onWarning)),
  usage() {
    for (;;);
  },
}))
