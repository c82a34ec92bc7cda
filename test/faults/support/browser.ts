import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, firefox, type BrowserContext, type Page } from 'playwright-core'
import { findBrowser } from '../../../scripts/browsers.ts'
import type { Ground } from './proof.ts'
import { checkStore } from './store-in-use.ts'

/** A real browser over a profile on the disk, which outlives it. */
export interface RealBrowser {
  readonly context: BrowserContext
  /** A new page on this address, with the package loaded. */
  open(url: string): Promise<Page>
  /** Ends all of it at once, as `kill -9` does. */
  kill(): Promise<void>
  /** All its processes stand still, as they are when the power goes. */
  stop(): void
  close(): Promise<void>
}

export interface BrowserOptions {
  readonly args?: readonly string[]
  readonly prefs?: Readonly<Record<string, number>>
}

const SQLITE = '--enable-features=IdbSqliteBackingStore,IdbSqliteOnDiskRollout'

export async function startBrowser(
  ground: Ground,
  profile: string,
  more: BrowserOptions = {},
): Promise<RealBrowser> {
  // A browser that was killed leaves these behind, and the next one would wait for it.
  for (const name of ['SingletonLock', 'SingletonCookie', 'SingletonSocket', 'lock', '.parentlock'])
    rmSync(join(profile, name), { force: true })
  const context = await launch(ground, profile, more)
  const main = processOf(profile)
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of treeOf(main)) {
      try {
        process.kill(pid, name)
      } catch {
        // It has ended by itself.
      }
    }
  }
  return {
    context,
    async open(url) {
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') console.error(`page: ${message.text()}`)
      })
      await page.goto(url)
      await page.waitForFunction(() => 'forkpoint' in globalThis)
      return page
    },
    async kill() {
      const pids = treeOf(main)
      signal('SIGKILL')
      for (let i = 0; i < 200 && pids.some(isAlive); i++) await sleep(10)
      // Its end of the line notices by itself; nothing is left to be closed in good order.
      await Promise.race([context.close().catch(() => {}), sleep(1_000)])
    },
    stop: () => signal('SIGSTOP'),
    close: () => context.close(),
  }
}

async function launch(
  ground: Ground,
  profile: string,
  { args: more = [], prefs = {} }: BrowserOptions,
): Promise<BrowserContext> {
  const engine = ground === 'firefox' ? 'firefox' : 'chromium'
  const found = findBrowser(engine)
  if (!found) throw new Error(`${engine} was not found; \`npm run browsers -- --all\` installs it`)
  if (engine === 'firefox')
    return firefox.launchPersistentContext(profile, {
      executablePath: found.path,
      firefoxUserPrefs: prefs,
      ...(found.driver === 'bidi' && { channel: 'moz-firefox' }),
    })
  const args = [...flagsOf(ground), ...more]
  await checkStore(ground, found.path, args)
  return chromium.launchPersistentContext(profile, { executablePath: found.path, args })
}

export const flagsOf = (ground: Ground): string[] => [
  '--disable-dev-shm-usage',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ...(ground === 'chromium-sqlite' ? [SQLITE] : []),
]

/** The browser's main process: the one that was given this profile, and is nobody's helper. */
function processOf(profile: string): number {
  for (const pid of everyPid()) {
    const command = commandOf(pid)
    const words = command.split('\0')
    const isBrowser = /chrom|firefox/.test(words[0] ?? '') && !command.includes('--type=')
    if (isBrowser && words.some((word) => word.endsWith(profile)) && !command.includes('-contentproc'))
      return pid
  }
  throw new Error('the browser that was just started is not there')
}

/** A process and all that descend from it. */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const pid of everyPid()) {
    const parent = parentOf(pid)
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

const everyPid = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`)
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
}

const isAlive = (pid: number): boolean => {
  const state = /^State:\s*(\w)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return state !== undefined && state !== 'Z'
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
