import { fileURLToPath } from 'node:url'
import { chromium, firefox, type BrowserContext, type Page } from 'playwright-core'
import { build, preview } from 'vite'
import { findBrowser, type Browser } from '../../scripts/browsers.ts'
import { aliasesToBuilt } from '../../scripts/doors.ts'
import type { ContenderName } from './contenders.ts'
import type { BenchPage } from './page/api.ts'

export type Engine = 'chromium' | 'firefox'

/** What no call takes longer than, or whoever was asked is out. */
const PATIENCE = 300_000

/** The page as it would be built for users, with the package as they have it, on an origin for each contender. */
export async function serving<T>(outDir: string, work: (port: number) => Promise<T>): Promise<T> {
  const root = fileURLToPath(new URL('page/', import.meta.url))
  const common = { configFile: false, root, logLevel: 'error', resolve: { alias: aliasesToBuilt } } as const
  const output = { outDir, emptyOutDir: true, target: 'es2022' } as const
  await build({ ...common, worker: { format: 'es' }, build: output })
  // An isolated page has a clock of 5 µs instead of 100, and may ask for its memory.
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  }
  const server = await preview({ ...common, build: output, preview: { host: '127.0.0.1', port: 0, headers } })
  try {
    const [url] = server.resolvedUrls?.local ?? []
    if (url === undefined) throw new Error('the page is not served')
    return await work(Number(new URL(url).port))
  } finally {
    await server.close()
  }
}

/** A real browser, whose profile is on the disk, with a page for each contender: side by side, and each to itself. */
export class BenchBrowser {
  readonly version: string
  readonly #context: BrowserContext
  readonly #port: number

  private constructor(context: BrowserContext, port: number) {
    this.#context = context
    this.#port = port
    this.version = context.browser()?.version() ?? ''
  }

  static async launch(engine: Engine, profile: string, port: number): Promise<BenchBrowser> {
    const found = findBrowser(engine)
    if (!found) throw new Error(`${engine} was not found; \`npm run browsers -- --all\` installs it`)
    return new BenchBrowser(await launch(found, profile), port)
  }

  /** `asleep`: of its origin, with nothing opened. */
  async page(name: ContenderName, asleep = false): Promise<ContenderPage> {
    const page = await this.#context.newPage()
    page.setDefaultTimeout(PATIENCE)
    const url = `http://${name}.localhost:${this.#port}/${asleep ? '' : `?contender=${name}`}`
    const contender = new ContenderPage(name, page, url)
    await contender.renew()
    return contender
  }

  close(): Promise<void> {
    return this.#context.close()
  }
}

export class ContenderPage {
  readonly name: ContenderName
  readonly #page: Page
  readonly #url: string
  readonly #problems: string[] = []

  constructor(name: ContenderName, page: Page, url: string) {
    this.name = name
    this.#page = page
    this.#url = url
    page.on('pageerror', (error) => this.#problems.push(error.message))
  }

  /** A page that is new, with workers that are new. */
  async renew(): Promise<void> {
    await this.#page.goto(this.#url)
    await this.#page
      .waitForFunction(() => globalThis.bench !== undefined)
      .catch((cause: unknown) => {
        throw new Error(`the page did not start: ${this.#problems.join('; ') || 'no reason given'}`, {
          cause,
        })
      })
  }

  /** Browsers slow down the timers of pages that nobody sees. */
  toFront(): Promise<void> {
    return this.#page.bringToFront()
  }

  async run<Verb extends keyof BenchPage>(
    verb: Verb,
    ...options: Parameters<BenchPage[Verb]>
  ): Promise<Awaited<ReturnType<BenchPage[Verb]>>> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${verb} gave no answer in ${PATIENCE / 1000} s`)), PATIENCE)
    })
    try {
      return (await Promise.race([this.#call(verb, options[0]), late])) as Awaited<
        ReturnType<BenchPage[Verb]>
      >
    } finally {
      clearTimeout(timer)
    }
  }

  close(): Promise<void> {
    return this.#page.close()
  }

  #call(verb: keyof BenchPage, options: unknown): Promise<unknown> {
    return this.#page.evaluate(
      ({ verb, options }) => {
        const run = globalThis.bench?.[verb] as ((options: unknown) => Promise<unknown>) | undefined
        if (!run) throw new Error(`the page has no ${verb}`)
        return run(options)
      },
      { verb, options },
    )
  }
}

function launch({ name, path, driver }: Browser, profile: string): Promise<BrowserContext> {
  if (name === 'firefox') {
    return firefox.launchPersistentContext(profile, {
      executablePath: path,
      ...(driver === 'bidi' && { channel: 'moz-firefox' }),
    })
  }
  // Else it waits for twenty seconds with telling its memory.
  const args = ['--enable-blink-features=ForceEagerMeasureMemory']
  if (process.getuid?.() === 0) args.push('--no-sandbox')
  return chromium.launchPersistentContext(profile, { executablePath: path, args })
}
