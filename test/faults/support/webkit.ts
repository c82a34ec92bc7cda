import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBrowser } from '../../../scripts/browsers.ts'
import { startBrowser, treeOf, type BrowserOptions } from './browser.ts'
import { Channel, type OpenPage } from './channel.ts'
import type { Ground } from './proof.ts'

/** What the proofs use of a browser that can be any. */
export interface AnyBrowser {
  open(url: string): Promise<OpenPage>
  kill(): Promise<void>
  /** All its processes stand still, as they are when the power goes. */
  stop(): void
  close(): Promise<void>
}

export const startAnyBrowser = (
  ground: Ground,
  profile: string,
  more: BrowserOptions = {},
): Promise<AnyBrowser> => (ground === 'webkit' ? startWebKit(profile) : startBrowser(ground, profile, more))

/** A page that is not there by then will not come. */
const LONGEST_START = 60_000

/** `localStorage` comes to the disk within a second. */
const WRITTEN_BEHIND = 2_000

/**
 * WebKitGTK's MiniBrowser as a person would start it: under a driver it keeps nothing on the disk. Its pages are told what
 * to do over http.
 */
async function startWebKit(profile: string): Promise<AnyBrowser> {
  const found = findBrowser('webkit')
  if (found?.driver !== 'webkitgtk')
    throw new Error('WebKitGTK was not found; `npm run browsers -- --all` installs it')
  const args = ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp']
  const display = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [number]: unknown[] = await once(display.stdio[3] as Readable, 'data')
  const env = {
    ...process.env,
    DISPLAY: `:${String(number).trim()}`,
    GDK_BACKEND: 'x11',
    HOME: profile,
    XDG_DATA_HOME: join(profile, 'data'),
    XDG_CACHE_HOME: join(profile, 'cache'),
    XDG_CONFIG_HOME: join(profile, 'config'),
  }
  const channel = new Channel()
  await channel.open()
  let browser: ChildProcess | undefined
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of browser?.pid === undefined ? [] : treeOf(browser.pid)) send(pid, name)
  }
  const end = async (): Promise<void> => {
    // Its helpers would outlive it for a while, and hold the files.
    signal('SIGKILL')
    if (browser && browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit')
    display.kill()
    await channel.close()
  }
  return {
    async open(url) {
      const { address, page } = channel.expect(url)
      if (browser) channel.openFromFirst(address)
      else browser = spawn(found.path, [...FLAGS, address], { stdio: 'ignore', env })
      const late = sleep(LONGEST_START).then(() => {
        throw new Error('WebKitGTK has not opened its page')
      })
      return Promise.race([page, late])
    },
    kill: end,
    stop: () => signal('SIGSTOP'),
    // Nobody can tell it to end in order, so it is given the time to write what it writes behind.
    async close() {
      await sleep(WRITTEN_BEHIND)
      await end()
    },
  }
}

/** Tabs open tabs; and what is off by default in this port of WebKit: `navigator.storage`. */
const FLAGS = [
  '--javascript-can-open-windows-automatically=true',
  '--features=+StorageAPI,+StorageAPIEstimate',
]

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}
