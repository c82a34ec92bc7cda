import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TextServer {
  readonly url: string
  readonly asked: readonly IncomingMessage[]
  close(): Promise<void>
}

/** Answers pages, and remembers who has asked. A path that ends in `slow` is never answered, one in `moved` leads on. */
export async function serveText(): Promise<TextServer> {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    asked.push(request)
    if (request.url?.endsWith('moved')) response.writeHead(302, { location: '/elsewhere' }).end()
    else if (!request.url?.endsWith('slow')) response.end('Boats at nine and at ten')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
