import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { createHandler, nodeListener, type HandlerOptions, type Served } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'

export interface Serving {
  readonly url: string
  stop(): Promise<void>
}

/** Serves on loopback, as Node does. */
export async function serving(served: Served, options: HandlerOptions): Promise<Serving> {
  const listener = nodeListener(createHandler(served, options))
  const server = createServer((request, response) => void listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const inMemory = (name = 'served'): Promise<Checkpointer> =>
  openCheckpointer({ name, storage: memoryStorage() })
