import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands before a server on loopback, and cuts the connection where it is told to. */
export interface CuttingProxy {
  readonly port: number
  /** Where new connections lead, from now on. */
  target: number
  /** The next request that contains this: is cut as it is answered, so that it was carried out, or before it arrives. */
  cut(what: string, when: 'as it is answered' | 'before it arrives'): void
  close(): Promise<void>
}

export async function cuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let next: { what: string; when: Parameters<CuttingProxy['cut']>[1] } | undefined
  const server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1')
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    let isCutAtAnswer = false
    client.on('data', (data) => {
      if (next && data.includes(next.what)) {
        const { when } = next
        next = undefined
        if (when === 'before it arrives') return end()
        isCutAtAnswer = true
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => (isCutAtAnswer ? end() : void client.write(data)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: CuttingProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    cut: (what, when) => void (next = { what, when }),
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return proxy
}
