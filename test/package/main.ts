/**
 * `npm run test:package [-- name ...]`, after a build: what is packed is installed in a folder of its own, and used
 * there as its users will, in every bundler, framework and runtime that the README names.
 */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../scripts/browsers.ts'
import { root } from '../../scripts/doors.ts'
import { esbuild, rollup, webpack } from './on/bundlers.ts'
import { documents } from './on/documents.ts'
import { edge } from './on/edge.ts'
import { extension } from './on/extension.ts'
import { importMap } from './on/import-map.ts'
import { next } from './on/next.ts'
import { bun, deno, node20, node22, node24 } from './on/runtimes.ts'
import { sizes } from './on/sizes.ts'
import { nodeTypes, types } from './on/types.ts'
import { dev, isolated, strict } from './on/vite.ts'
import { workerd } from './on/workerd.ts'
import type { Fixture, Ground } from './support/ground.ts'
import { installPackage, installTools } from './support/install.ts'

/** In this order: some leave behind what others take. */
const FIXTURES: Readonly<Record<string, readonly [name: string, fixture: Fixture]>> = {
  documents: ['its documents link to nothing that is not packed', documents],
  types: ['its types hold, for bundlers and for Node', types],
  'node-types': ['its types hold on Node, without those of the DOM', nodeTypes],
  'node-20': ['it runs on Node 20', node20],
  'node-22': ['it runs on Node 22', node22],
  'node-24': ['it runs on Node 24', node24],
  bun: ['it runs on Bun', bun],
  deno: ['it runs on Deno', deno],
  workerd: ['it runs in workerd, in a Durable Object', workerd],
  edge: ['the guide to the edge does what it says: its Worker, and its page on two devices', edge],
  dev: ['it runs from the server of Vite', dev],
  isolated: ['it runs from a build of Vite, in a page that is isolated from other origins', isolated],
  strict: ['it runs from a build of Vite, under a strict policy', strict],
  sizes: ['what a page carries at once, and what it loads, is as small as we say', sizes],
  extension: ['it runs in a page of an extension, and in its service worker', extension],
  'import-map': ['it runs without a bundler', importMap],
  webpack: ['it runs from webpack', webpack],
  esbuild: ['it runs from esbuild', esbuild],
  rollup: ['it runs from Rollup', rollup],
  next: ['it runs in a client component of Next.js', next],
}
/** What others take what they leave behind. */
const ALWAYS = ['types', 'strict']

const asked = process.argv.slice(2)
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
  const unknown = asked.filter((name) => !(name in FIXTURES))
  if (unknown.length > 0)
    throw new Error(`${unknown.join(', ')}: there are ${Object.keys(FIXTURES).join(', ')}`)
  if (!existsSync(join(root, 'dist/index.js')))
    throw new Error('There is no build; `npm run build` makes one')
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  installTools()
  await installPackage(folder)
  const browser = await chromium.launch({ executablePath: found.path })
  try {
    for (const [name, [promise, fixture]] of Object.entries(FIXTURES))
      if (asked.length === 0 || asked.includes(name) || ALWAYS.includes(name))
        await check(promise, fixture, { folder, browser })
  } finally {
    await browser.close()
  }
}

async function check(name: string, fixture: Fixture, ground: Ground): Promise<void> {
  const start = Date.now()
  try {
    await fixture(ground)
    passed++
    console.log(`ok      ${name} (${Date.now() - start} ms)`)
  } catch (error) {
    failed++
    console.error(`FAILED  ${name}`, error)
  }
}
