import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext } from 'playwright-core'
import { findBrowser } from '../../../scripts/browsers.ts'
import type { Fixture } from '../support/ground.ts'
import { EXPECTED, visitIn } from '../support/visit.ts'
import { buildServiceWorker } from './vite.ts'

const MANIFEST = {
  manifest_version: 3,
  name: 'consumer',
  version: '1.0.0',
  action: { default_popup: 'index.html' },
  background: { service_worker: 'service-worker.js', type: 'module' },
}

/** The builds of Vite as the page and the service worker of an MV3 extension, under the policy that extensions have by default. */
export const extension: Fixture = async (ground) => {
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  const unpacked = join(ground.folder, 'as-extension')
  mkdirSync(unpacked)
  cpSync(join(ground.folder, 'dist'), unpacked, { recursive: true })
  await buildServiceWorker(ground, unpacked)
  writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify(MANIFEST))
  const profile = mkdtempSync(join(tmpdir(), 'forkpoint-profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: found.path,
    args: [
      `--disable-extensions-except=${unpacked}`,
      `--load-extension=${unpacked}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  try {
    const said = await saidByWorker(context)
    if (said !== EXPECTED) throw new Error(`The service worker said ${said}`)
    await visitIn(context, `chrome-extension://${idOf(unpacked)}/index.html`)
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

async function saidByWorker(context: BrowserContext): Promise<string> {
  const worker =
    context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker', { timeout: 30_000 }))
  return worker.evaluate(() => (globalThis as unknown as { readonly said: Promise<string> }).said)
}

/** Of one that is loaded unpacked: the beginning of its path's hash, in the letters a to p. */
const idOf = (path: string): string =>
  createHash('sha256')
    .update(path)
    .digest('hex')
    .slice(0, 32)
    .replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)))
