import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, firefox, type BrowserContext, type Page } from 'playwright-core'
import { build, preview } from 'vite'
import { findBrowser, type Browser } from '../../../scripts/browsers.ts'
import { aliases } from '../../../scripts/doors.ts'
import type { BenchPage } from './page/api.ts'

export type Engine = 'chromium' | 'firefox'

export interface BenchBrowser {
  readonly version: string
  /** Calls one verb of the page. */
  run<Verb extends keyof BenchPage>(
    verb: Verb,
    options: Parameters<BenchPage[Verb]>[0],
  ): ReturnType<BenchPage[Verb]>
  /** A page that is new, with workers that are new. */
  renew(): Promise<void>
}

/** A real browser, whose profile is on the disk, on the page as it would be built for users. */
export async function withBrowser<T>(
  engine: Engine,
  work: (browser: BenchBrowser) => Promise<T>,
): Promise<T> {
  const found = findBrowser(engine)
  if (!found) throw new Error(`${engine} was not found; \`npm run browsers -- --all\` installs it`)
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-bench-'))
  try {
    return await serving(join(folder, 'page'), async (url) => {
      const context = await launch(found, join(folder, 'profile'))
      try {
        return await work(await driver(context, url))
      } finally {
        await context.close()
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

async function serving<T>(outDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const root = fileURLToPath(new URL('page/', import.meta.url))
  const common = { configFile: false, root, logLevel: 'warn', resolve: { alias: aliases } } as const
  const output = { outDir, emptyOutDir: true, target: 'es2022' }
  await build({ ...common, worker: { format: 'es' }, build: output })
  // An isolated page has a clock of 5 µs instead of 100.
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  }
  const server = await preview({ ...common, build: output, preview: { host: '127.0.0.1', port: 0, headers } })
  try {
    const [url] = server.resolvedUrls?.local ?? []
    if (url === undefined) throw new Error('the page is not served')
    return await work(url)
  } finally {
    await server.close()
  }
}

function launch({ name, path, driver }: Browser, profile: string): Promise<BrowserContext> {
  if (name === 'firefox') {
    return firefox.launchPersistentContext(profile, {
      executablePath: path,
      ...(driver === 'bidi' && { channel: 'moz-firefox' }),
    })
  }
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launchPersistentContext(profile, { executablePath: path, args })
}

async function driver(context: BrowserContext, url: string): Promise<BenchBrowser> {
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(0)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'warning' || message.type() === 'error') console.error(`page: ${message.text()}`)
  })
  const renew = async (): Promise<void> => {
    await page.goto(url)
    await page
      .waitForFunction(() => globalThis.benchDetails !== undefined, undefined, { timeout: 10_000 })
      .catch((cause: unknown) => {
        throw new Error(`the page did not start: ${problems.join('; ') || 'no reason given'}`, { cause })
      })
  }
  await renew()
  return {
    version: context.browser()?.version() ?? (await page.evaluate(() => navigator.userAgent)),
    renew,
    run: ((verb: keyof BenchPage, options: never) => call(page, verb, options)) as BenchBrowser['run'],
  }
}

function call(page: Page, verb: keyof BenchPage, options: never): Promise<unknown> {
  return page.evaluate(
    ({ verb, options }) => {
      const run = globalThis.benchDetails?.[verb]
      if (!run) throw new Error(`the page has no ${verb}`)
      return run(options) as Promise<unknown>
    },
    { verb, options },
  )
}
