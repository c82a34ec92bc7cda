/**
 * `npm run test:package`, after a build: what is packed is installed in a folder of its own, and used there as its
 * users will: type-checked, from Vite's server, from a Vite build under a strict policy, and without a bundler.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { chromium, type Browser } from 'playwright-core'
import type * as ViteModule from 'vite'
import { findBrowser } from '../../scripts/browsers.ts'
import { manifest, root } from '../../scripts/doors.ts'

type Vite = typeof ViteModule

const POLICY = "default-src 'self'; worker-src 'self'"
const started = Date.now()
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'forkpoint-package-')))
let passed = 0
let failed = 0

try {
  await main()
} catch (error) {
  failed++
  console.error(error)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`took ${((Date.now() - started) / 1000).toFixed(1)} s`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function main(): Promise<void> {
  if (!existsSync(join(root, 'dist/index.js')))
    throw new Error('There is no build; `npm run build` makes one')
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  await install()
  const vite: Vite = await import(pathToFileURL(join(folder, 'node_modules/vite/dist/node/index.js')).href)
  const browser = await chromium.launch({ executablePath: found.path })
  try {
    await check('its types hold, for bundlers and for Node', checkTypes)
    await check('it runs on Node, over memory', onNode)
    await check('it runs from the server of Vite', () => onDevServer(vite, browser))
    await check('it runs from a build of Vite, under a strict policy', () => onBuild(vite, browser))
    await check('a page carries nothing of the store', checkChunks)
    await check('it runs without a bundler', () => withoutBundler(browser))
  } finally {
    await browser.close()
  }
}

async function check(name: string, run: () => Promise<void> | void): Promise<void> {
  const start = Date.now()
  try {
    await run()
    passed++
    console.log(`ok      ${name} (${Date.now() - start} ms)`)
  } catch (error) {
    failed++
    console.error(`FAILED  ${name}`, error)
  }
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: 50_000 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error([program, ...args].join(' ') + `\n${stdout}${stderr}`, { cause: error })
  }
}

async function install(): Promise<void> {
  cpSync(fileURLToPath(new URL('consumer/', import.meta.url)), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }))
  mkdirSync(join(folder, 'public'))
  writeFileSync(join(folder, 'public/favicon.ico'), '')
  const tarball = (await run('npm', ['pack', '--silent', '--pack-destination', folder], root)).trim()
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(root, 'node_modules/vite/package.json'), 'utf8'),
  )
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quietly, `./${tarball}`, `vite@${version}`], folder)
}

/** Leaves main.js behind, for the page without a bundler. */
async function checkTypes(): Promise<void> {
  const compilerOptions = {
    target: 'ESNext',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmitOnError: true,
    outDir: 'plain',
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  const tsc = join(root, 'node_modules/.bin/tsc')
  await run(tsc, ['--project', folder], folder)
  const forNode = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--noEmit']
  await run(tsc, ['--project', folder, ...forNode], folder)
}

async function onNode(): Promise<void> {
  const code = `
    import { openCheckpointer } from 'forkpoint'
    import { memoryStorage } from 'forkpoint/storage/memory'
    const store = await openCheckpointer({ name: 'node', storage: memoryStorage() })
    await store.thread('t').save({ n: 1 })
    console.log((await store.thread('t').load()).state.n)`
  const said = await run(process.execPath, ['--input-type=module', '--eval', code], folder)
  if (said.trim() !== '1') throw new Error(`It said ${said}`)
}

async function onDevServer(vite: Vite, browser: Browser): Promise<void> {
  const server = await vite.createServer({
    root: folder,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
  })
  try {
    await server.listen()
    await visit(browser, server.resolvedUrls?.local[0])
  } finally {
    await server.close()
  }
}

async function onBuild(vite: Vite, browser: Browser): Promise<void> {
  const common = { root: folder, configFile: false, logLevel: 'error' } as const
  await vite.build(common)
  const headers = { 'Content-Security-Policy': POLICY }
  const server = await vite.preview({ ...common, preview: { host: '127.0.0.1', port: 0, headers } })
  try {
    await visit(browser, server.resolvedUrls?.local[0])
  } finally {
    await server.close()
  }
}

/** Opens the page twice: it has to say the same, to have a worker, and to complain of nothing. */
async function visit(browser: Browser, url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error('The page is not served')
  const context = await browser.newContext()
  const complaints: string[] = []
  const workers: string[] = []
  try {
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('worker', (worker) => workers.push(worker.url()))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complaints.push(`${message.text()} ${message.location().url}`)
    })
    const since = '1970-01-01T00:00:00.000Z'
    const expected = JSON.stringify({
      seqs: [5, 4],
      states: [
        { messages: ['one', 'two', 'three', 'four', 'five'], since },
        { messages: ['one', 'two', '2½'], since },
      ],
    })
    for (const open of [() => page.goto(url), () => page.reload()]) {
      await open()
      const said = await page
        .waitForFunction(() => document.body.textContent.trim(), undefined, { timeout: 10_000 })
        .then((text) => text.jsonValue())
        .catch((error: unknown) => String(error))
      if (said !== expected) complaints.push(`The page said ${said}`)
    }
  } finally {
    await context.close()
  }
  if (workers.length !== 2) complaints.push(`There were ${workers.length} workers for two visits`)
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
}

/** What the page loads at once, and what its worker loads. */
function checkChunks(): void {
  const assets = join(folder, 'dist/assets')
  const html = readFileSync(join(folder, 'dist/index.html'), 'utf8')
  const entry = /<script[^>]* src="\/assets\/([^"]+)"/.exec(html)?.[1]
  const worker = readdirSync(assets).find((name) => /^worker-.*\.js$/.test(name))
  if (entry === undefined || worker === undefined) throw new Error('The build has no entry, or no worker')
  const page = [...chunksOf(assets, entry)].map((name) => readFileSync(join(assets, name), 'utf8'))
  const size = (code: string): string => `${(gzipSync(code).byteLength / 1024).toFixed(2)} kB`
  console.log(
    `gzip, with dependencies: page ${size(page.join(''))}, worker ${size(readFileSync(join(assets, worker), 'utf8'))}`,
  )
  if (page.some((code) => code.includes('createObjectStore'))) throw new Error('The page carries the storage')
  if (!readFileSync(join(assets, worker), 'utf8').includes('createObjectStore'))
    throw new Error('The worker lacks the storage, or this no longer tells it')
}

/** A chunk and all that it imports at once. */
function chunksOf(assets: string, name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const code = readFileSync(join(assets, name), 'utf8')
  for (const [, next] of code.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g))
    chunksOf(assets, next ?? '', seen)
  return seen
}

async function withoutBundler(browser: Browser): Promise<void> {
  const names = packagesOf(manifest.name)
  const imports = Object.fromEntries(names.map((name) => [name, addressOf(name)]))
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace(
    '<script type="module" src="/main.ts"></script>',
    `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="/plain/main.js"></script>`,
  )
  const server = serveFiles(page)
  server.listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The files are not served')
    await visit(browser, `http://127.0.0.1:${address.port}/`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly module?: string
  readonly exports?: { readonly '.': string | { readonly import?: string; readonly default: string } }
}

function installed(name: string): Installed {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
}

/** Where a page finds a package. Of one that says nothing of imports the field for bundlers, as CDNs do. */
function addressOf(name: string): string {
  const { module, exports } = installed(name)
  const door = exports?.['.']
  const file = typeof door === 'string' ? door : (door?.import ?? door?.default ?? module)
  if (file === undefined) throw new Error(`${name} has nothing that can be imported`)
  return `/node_modules/${name}/${file.replace('./', '')}`
}

/** A package and all that it depends on, as installed. */
function packagesOf(name: string, seen = new Set<string>()): string[] {
  if (!seen.has(name)) {
    seen.add(name)
    const { dependencies = {} } = installed(name)
    for (const next of Object.keys(dependencies)) packagesOf(next, seen)
  }
  return [...seen]
}

function serveFiles(page: string): Server {
  const types: Record<string, string> = { '.js': 'text/javascript', '.mjs': 'text/javascript' }
  return createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const file = join(folder, pathname === '/favicon.ico' ? 'public/favicon.ico' : pathname)
    if (pathname === '/') response.setHeader('Content-Type', 'text/html').end(page)
    else if (dirname(file).startsWith(folder) && existsSync(file))
      response.setHeader('Content-Type', types[extname(file)] ?? 'text/plain').end(readFileSync(file))
    else response.writeHead(404).end()
  })
}
