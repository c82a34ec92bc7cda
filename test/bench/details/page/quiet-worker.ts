/** The store without any work in the background, to see what that costs. */
import type { Endpoint } from 'comlink'
import { createHost } from '../../../../src/operations/create-host.ts'
import { indexedDbStorage } from '../../../../src/storage/indexeddb.ts'
import { serve } from '../../../../src/worker/serve.ts'

serve(globalThis as unknown as Endpoint, ({ name }, onWarning) =>
  createHost({ storage: indexedDbStorage({ name }), onWarning, inBackground: false }),
)
