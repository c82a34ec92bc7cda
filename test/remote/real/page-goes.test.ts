import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { createHandler, nodeListener } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'
import { chromium, type Browser } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { findBrowser } from '../../../scripts/browsers.ts'
import { aliases } from '../../../scripts/doors.ts'

const outDir = mkdtempSync(join(tmpdir(), 'forkpoint-served-'))
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }
let browser: Browser

beforeAll(async () => {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('page/', import.meta.url)),
    logLevel: 'error',
    resolve: { alias: aliases },
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  })
  const found = findBrowser('chromium')
  if (!found) throw new Error('no chromium here: npm run browsers')
  browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] })
}, 120_000)

afterAll(async () => {
  await browser?.close()
  rmSync(outDir, { recursive: true, force: true })
})

async function serving(): Promise<{ url: string; store: Checkpointer }> {
  const store = await openCheckpointer({ name: 'served', storage: memoryStorage() })
  const handle = nodeListener(createHandler(store, { authorize: () => true }))
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path.startsWith('/store/')) return void handle(request, response)
    const file = path === '/' ? 'index.html' : path.slice(1)
    try {
      const body = readFileSync(join(outDir, file))
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await store.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, store }
}

it.each(['is reloaded', 'is closed'])(
  'a run of a page that %s goes on in the next one at once, and does nothing twice',
  async (how) => {
    const { url, store } = await serving()
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(url)
    await page.evaluate(() => served.begin())
    expect(await store.thread('t').latestRun()).toMatchObject({ status: 'running' })
    const next = how === 'is closed' ? await context.newPage() : page
    if (next === page) await page.reload()
    else {
      await page.close({ runBeforeUnload: true })
      await next.goto(url)
    }
    const { took, ...end } = await next.evaluate(() => served.goOn())
    expect(end).toEqual({ result: 1, status: 'finished' })
    // Had nobody let go, the server would have given signs of life for three minutes.
    expect(took).toBeLessThan(20_000)
  },
  60_000,
)
