import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Storage } from '../../../src/storage/storage.ts'
import { serving } from './serving.ts'

/** What whoever started this process has given it: a folder, or where a server is. */
export const given = process.argv[2] ?? ''

/** Serves storages from this process until the one that started it has gone. */
export function host(open: (database: string) => Storage | Promise<Storage>): void {
  const answer = serving(open)
  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => answer(new Uint8Array(body)))
      .then(
        (body) => response.end(body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  server.listen(0, '127.0.0.1', () => {
    ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}

/** Says where it listens, and ends with its parent: nobody may outlive the tests. */
export function ready(url: string, end: () => unknown = () => {}): void {
  console.log(JSON.stringify({ url }))
  process.stdin.resume().on('end', () => {
    void Promise.resolve(end()).finally(() => process.exit())
  })
}
