import { createServer, type IncomingMessage } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { aliases } from '../../../scripts/doors.ts'

/** The page with the package in it, as a bundler builds it, on loopback. */
export interface Site {
  readonly url: string
  /** What it serves. The same folder for all of a process: who changes something in it takes a copy. */
  readonly folder: string
  /** What pages have said with `ack`, in order. Kept here, where no fault of a browser reaches. */
  readonly acks: unknown[]
  close(): Promise<void>
}

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Waits until a page has said something: until then it may not even have opened anything, on a busy machine. */
export async function firstAck({ acks }: Pick<Site, 'acks'>): Promise<void> {
  for (let waited = 0; acks.length === 0 && waited < 20_000; waited += 5) await sleep(5)
}

/** The same for all proofs of a process. */
let built: Promise<string> | undefined

/** For who runs proofs, when he has run the last. */
export async function removeSite(): Promise<void> {
  const outDir = await built
  built = undefined
  if (outDir !== undefined) rmSync(outDir, { recursive: true, force: true })
}

async function buildSite(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'forkpoint-site-'))
  await build({
    configFile: false,
    root: fileURLToPath(new URL('../page/', import.meta.url)),
    logLevel: 'warn',
    resolve: { alias: aliases },
    // A service worker must be one file: nothing can be imported there later.
    worker: { format: 'es', rolldownOptions: { output: { codeSplitting: false } } },
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  })
  return outDir
}

/** What else the site answers to what is posted to it. */
type Answer = (path: string, body: string) => unknown

export async function openSite(answer?: Answer): Promise<Site> {
  const outDir = await (built ??= buildSite())
  const acks: unknown[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      if (path === '/ack') {
        acks.push(JSON.parse(await bodyOf(request)))
        response.end()
        return
      }
      if (answer && request.method === 'POST') {
        response.end(JSON.stringify(answer(path, await bodyOf(request))))
        return
      }
      const file = join(outDir, normalize(path === '/' ? '/index.html' : path))
      const content = await readFile(file).catch(() => undefined)
      response.statusCode = content ? 200 : 404
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
      response.end(content)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    folder: outDir,
    acks,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}
