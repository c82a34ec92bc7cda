import type { Endpoint } from 'comlink'
import { indexedDbHost } from './in-process.ts'
import { serve } from './serve.ts'

/** The worker's script: one database behind one port. In a SharedWorker, one for each page that connects. */
const scope = globalThis as unknown as Endpoint & { onconnect?: (event: MessageEvent) => void }

const serveOn = (endpoint: Endpoint): void => serve(endpoint, indexedDbHost)

if ('onconnect' in scope) scope.onconnect = ({ ports }) => ports.forEach((port) => serveOn(port))
else serveOn(scope)
