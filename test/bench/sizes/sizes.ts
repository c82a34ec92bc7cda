import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium, type Browser } from 'playwright-core'
import { build, preview } from 'vite'
import { findBrowser } from '../../../scripts/browsers.ts'
import { aliasesToBuilt, root } from '../../../scripts/doors.ts'
import { contenderNames, described, type ContenderName } from '../contenders.ts'

/** Bytes, compressed, that a browser fetches. */
interface Size {
  /** Before anything of it is called: what stands in the app's first bundle. */
  readonly first: number
  /** From then on until a state was saved and loaded: code, workers, WebAssembly. */
  readonly later: number
}

/** Nothing of what is written by hand. */
interface Package {
  readonly version?: string
  readonly licence?: string
}

export interface Sizes {
  readonly day: string
  readonly contenders: Partial<Record<ContenderName, Size & Package>>
}

const file = (folder: string): string => join(folder, 'sizes.json')

export const keptSizes = (folder: string): Sizes | undefined =>
  existsSync(file(folder)) ? (JSON.parse(readFileSync(file(folder), 'utf8')) as Sizes) : undefined

/** Bundles everyone by itself, as it is used where it is measured, and looks at what a real browser then fetches. */
export async function measureSizes(folder: string, say: (what: string) => void): Promise<void> {
  const found = findBrowser('chromium')
  if (!found) throw new Error('chromium was not found; `npm run browsers` installs it')
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath: found.path, args })
  const temp = mkdtempSync(join(tmpdir(), 'forkpoint-sizes-'))
  try {
    const contenders: Sizes['contenders'] = {}
    for (const name of contenderNames.filter((each) => !each.startsWith('floor'))) {
      const size = await sizeOf(name, join(temp, name), browser)
      contenders[name] = { ...size, ...packageOf(name) }
      say(`size of ${name}: ${size.first} bytes, then ${size.later}`)
    }
    const sizes: Sizes = { day: new Date().toISOString().slice(0, 10), contenders }
    mkdirSync(folder, { recursive: true })
    writeFileSync(file(folder), `${JSON.stringify(sizes, null, 2)}\n`)
  } finally {
    await browser.close()
    rmSync(temp, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

async function sizeOf(name: ContenderName, outDir: string, browser: Browser): Promise<Size> {
  const common = { configFile: false, root: join(root, 'test/bench'), logLevel: 'error' } as const
  await build({
    ...common,
    plugins: [{ name: 'use', resolveId: (id) => (id === USE ? id : undefined), load: useOf(name) }],
    resolve: { alias: aliasesToBuilt },
    worker: { format: 'es' },
    build: {
      outDir,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: USE, output: { entryFileNames: 'use.js' } },
    },
  })
  writeFileSync(join(outDir, 'index.html'), '<!doctype html><script type="module" src="/use.js"></script>')
  // As SQLite needs it for its files.
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  }
  const server = await preview({
    ...common,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, headers },
  })
  const context = await browser.newContext()
  try {
    const fetched = new Set<string>()
    context.on('request', (request) => fetched.add(new URL(request.url()).pathname))
    const page = await context.newPage()
    await page.goto(server.resolvedUrls?.local[0] ?? '')
    await page.waitForFunction(() => globalThis.use !== undefined)
    const first = [...fetched]
    await page.evaluate(() => globalThis.use?.())
    const later = [...fetched].filter((path) => !first.includes(path))
    return { first: weightOf(outDir, first), later: weightOf(outDir, later) }
  } finally {
    await context.close()
    await server.close()
  }
}

const USE = 'virtual:use'

/** A state is saved and loaded, as short as it can be said. */
const useOf = (name: ContenderName) => (id: string) => {
  if (id !== USE) return undefined
  const [path, maker] =
    name === 'forkpoint' || name === 'whole'
      ? [`page/contenders/${name}.ts`, name]
      : [`rivals/${name}.ts`, 'make']
  return `
    import { ${maker} as make } from ${JSON.stringify(join(root, 'test/bench', path))}
    globalThis.use = async () => {
      const contender = make()
      await contender.open()
      const message = { id: '1', role: 'assistant', content: 'hello', tokens: 1 }
      const state = { topic: 'a', step: 1, messages: [message] }
      await contender.save({ thread: 'main', seq: 1, state, change: { added: [message] } })
      await contender.load('main')
    }`
}

const weightOf = (outDir: string, paths: readonly string[]): number =>
  paths
    .filter((path) => path !== '/' && existsSync(join(outDir, path)))
    .reduce((sum, path) => sum + gzipSync(readFileSync(join(outDir, path)), { level: 9 }).length, 0)

function packageOf(name: ContenderName): Package {
  const { package: from } = described(name)
  if (from === undefined && name !== 'forkpoint') return {}
  const folder = from === undefined ? root : join(root, 'test/bench/rivals/node_modules', from)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly license: string
  }
  return { version, licence: license }
}

declare global {
  // oxlint-disable-next-line no-var
  var use: (() => Promise<void>) | undefined
}
