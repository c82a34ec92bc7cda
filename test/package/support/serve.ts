import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
}

/** Serves a folder while something is done with its address; a page may be given in place of its index.html. */
export async function whileServed(
  folder: string,
  { page, headers = {} }: { readonly page?: string; readonly headers?: Readonly<Record<string, string>> },
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const file = join(folder, normalize(pathname === '/' ? '/index.html' : pathname))
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (pathname === '/' && page !== undefined) response.setHeader('Content-Type', 'text/html').end(page)
    else if (pathname === '/favicon.ico') response.writeHead(204).end()
    else if (existsSync(file))
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'text/plain').end(readFileSync(file))
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The files are not served')
    await use(`http://127.0.0.1:${address.port}/`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** A page with one script. */
export const pageWith = (script: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>consumer</title>${head}<script type="module" src="${script}"></script></head><body></body></html>`
