import { createServer } from 'node:http'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { findBrowser } from '../../../scripts/browsers.ts'
import { buildExtension } from '../../../scripts/extension.ts'

export interface LoadedExtension {
  readonly context: BrowserContext
  readonly id: string
  /** The browser's. */
  readonly version: string
  /** A page of the extension. */
  open(file: string): Promise<Page>
  /** The page of the extension that is under test, when it has its store. */
  openPage(): Promise<Page>
  /** A page of the web, on loopback. */
  web(html?: string): Promise<Page>
  /** Presses the extension's button in the toolbar, on this page. */
  pressButton(page: Page): Promise<void>
  /** Stops the service worker, as the browser does to one that is idle. */
  stopWorker(): Promise<void>
  close(): Promise<void>
}

const UNDER_TEST = fileURLToPath(new URL('./extension', import.meta.url))

interface LoadOptions {
  readonly folder?: string
  /** Another extension beside it. */
  readonly beside?: string
  /** Is added to its manifest. */
  readonly manifest?: object
  readonly build?: (options: { readonly folder: string; readonly outDir: string }) => Promise<void>
}

/** A real Chromium with the extension in it, in a profile of its own. */
export async function loadExtension({
  folder: source = UNDER_TEST,
  beside,
  manifest: more = {},
  build = buildExtension,
}: LoadOptions = {}): Promise<LoadedExtension> {
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-extension-'))
  const built = join(folder, 'built')
  await build({ folder: source, outDir: built })
  const manifest = join(built, 'manifest.json')
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), ...more }))
  const neighbour = join(folder, 'beside')
  if (beside !== undefined) await buildExtension({ folder: beside, outDir: neighbour })
  const all = [built, ...(beside === undefined ? [] : [neighbour])].join()
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: found.path,
    args: [
      `--disable-extensions-except=${all}`,
      `--load-extension=${all}`,
      '--disable-dev-shm-usage',
      // So that the button in the toolbar can be pressed.
      '--enable-unsafe-extension-debugging',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  const [worker = await context.waitForEvent('serviceworker')] = context.serviceWorkers()
  const id = new URL(worker.url()).host
  let shown = ''
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(shown))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const controls = await context.newCDPSession(await context.newPage())
  await controls.send('ServiceWorker.enable')
  const { product: version } = await controls.send('Browser.getVersion')
  const open = async (file: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`chrome-extension://${id}/${file}`)
    return page
  }
  return {
    context,
    id,
    version,
    open,
    async openPage() {
      const page = await open('page.html')
      await page.waitForFunction(() => 'page' in globalThis)
      return page
    },
    async web(html = '<p>A page') {
      shown = html
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      return page
    },
    async pressButton(page) {
      const browser = await context.browser()?.newBrowserCDPSession()
      const { targetInfos = [] } = (await browser?.send('Target.getTargets', { filter: [{}] })) ?? {}
      const tab = targetInfos.find(({ type, url }) => type === 'tab' && url === page.url())
      if (!browser || !tab) throw new Error('There is no such tab.')
      await browser.send('Extensions.triggerAction', { id, targetId: tab.targetId })
      await browser.detach()
    },
    stopWorker: async () => void (await controls.send('ServiceWorker.stopAllWorkers')),
    async close() {
      await context.close()
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
