import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { findBrowser } from '../../../scripts/browsers.ts'
import { flagsOf } from './browser.ts'
import type { Ground } from './proof.ts'
import { checkStore } from './store-in-use.ts'

/** A Chromium whose hidden pages can be frozen: as playwright starts one, it keeps every page awake. */
export interface SleepyBrowser {
  /** A new page on this address, in front of the others, with the package loaded. */
  open(url: string): Promise<Page>
  /** All of a hidden page stands still, its workers too, as when the browser spares a tab in the background. */
  freeze(page: Page): Promise<void>
  wake(page: Page): Promise<void>
  close(): Promise<void>
}

/** This machine under a name that is no secure context over http, as that of a device in the house is. */
export const PLAIN_HOST = 'plain.test'

export async function startSleepyBrowser(ground: Ground, profile: string): Promise<SleepyBrowser> {
  const found = findBrowser('chromium')
  if (!found) throw new Error('chromium was not found; `npm run browsers -- --all` installs it')
  await checkStore(ground, found.path, flagsOf(ground))
  mkdirSync(profile, { recursive: true })
  rmSync(join(profile, 'DevToolsActivePort'), { force: true })
  const args = [
    '--headless',
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
    '--no-proxy-server',
    `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ...flagsOf(ground),
  ]
  const process = spawn(found.path, [...args, 'about:blank'], { stdio: 'ignore' })
  const ended = new Promise((resolve) => process.once('exit', resolve))
  const browser = await chromium.connectOverCDP(await addressOf(profile), { noDefaults: true })
  const [context] = browser.contexts() as [BrowserContext]
  const setState = async (page: Page, state: 'frozen' | 'active'): Promise<void> => {
    const session = await context.newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state })
    await session.detach()
  }
  return {
    async open(url) {
      const page = await context.newPage()
      await page.goto(url)
      await page.waitForFunction(() => 'forkpoint' in globalThis)
      await page.bringToFront()
      return page
    },
    freeze: (page) => setState(page, 'frozen'),
    wake: (page) => setState(page, 'active'),
    async close() {
      await browser.close().catch(() => {})
      process.kill('SIGKILL')
      await ended
    },
  }
}

/** Where the browser that was just started can be reached: it says so in its profile. */
async function addressOf(profile: string): Promise<string> {
  for (let waited = 0; waited < 20_000; waited += 50) {
    try {
      const [port, path] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')
      if (port && path) return `ws://127.0.0.1:${port}${path}`
    } catch {
      // Not yet.
    }
    await sleep(50)
  }
  throw new Error('chromium did not start')
}
