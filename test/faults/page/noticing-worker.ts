/** As the package's worker; and the site is told of its writes. */
import type { Endpoint } from 'comlink'
import { indexedDbHost } from '../../../src/worker/in-process.ts'
import { serve } from '../../../src/worker/serve.ts'
import { tellOfWrites } from './noticing.ts'

tellOfWrites()
serve(globalThis as unknown as Endpoint, indexedDbHost)
