import { createServer } from 'node:http'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import type { AddressInfo } from 'node:net'
import { build } from 'vite'
import { aliases, root } from '../../../scripts/doors.ts'

/** What an app that is careful would send. */
const POLICY = [
  `default-src 'self'`,
  `object-src 'none'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  // No text becomes markup or a script. An app has a policy for the URL of its worker, and none that makes markup.
  `require-trusted-types-for 'script'`,
  'trusted-types default',
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export interface Site {
  readonly url: string
  /** Where the built files are. */
  readonly folder: string
  close(): Promise<void>
}

/** Builds a page as an app would be built, and serves it under the policy. */
export async function serveSite(page = join(root, 'test/inspector/page')): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-inspector-'))
  await build({
    configFile: false,
    root: page,
    logLevel: 'error',
    resolve: { alias: aliases },
    worker: { format: 'es' },
    cacheDir: join(folder, 'cache'),
    build: {
      outDir: join(folder, 'site'),
      target: 'es2022',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  })
  const server = createServer(({ url = '/' }, response) => {
    const path = normalize(new URL(url, 'http://localhost').pathname)
    if (path === '/favicon.ico') return void response.writeHead(204).end()
    try {
      const body = readFileSync(join(folder, 'site', path === '/' ? 'index.html' : path))
      const type = TYPES[extname(path === '/' ? '.html' : path)] ?? 'application/octet-stream'
      response.writeHead(200, {
        'content-type': path === '/' ? TYPES['.html'] : type,
        'content-security-policy': POLICY,
      })
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/`,
    folder: join(folder, 'site'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
