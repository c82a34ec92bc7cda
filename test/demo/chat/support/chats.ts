import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { findBrowser } from '../../../../scripts/browsers.ts'
import { serveChat, type ChatSite } from './chat-site.ts'

export interface Chats {
  /** A browser of one's own, with one tab. */
  open(options?: OpenOptions): Promise<Page>
  /** Another tab of the same browser, at the same address unless another is given. */
  tab(beside: Page, url?: string): Promise<Page>
  site(): ChatSite
  /** Takes what the pages have complained of: for a test that means to hear it. */
  complaints(): string[]
}

interface OpenOptions extends BrowserContextOptions {
  /** Comes into the address, as `?pace=5`. */
  readonly search?: string
  /** Runs in each page before all else. */
  readonly init?: () => void
}

/** The built demo in a real browser. What a page complains of fails the test. */
export function chats(name: 'chromium' | 'firefox' = 'chromium'): Chats {
  let served: ChatSite | undefined
  let browser: Browser | undefined
  let contexts: BrowserContext[] = []
  const heard: string[] = []

  beforeAll(async () => {
    browser = await launch(name)
    served = await serveChat()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })
  afterEach(async () => {
    for (const context of contexts) await context.close()
    contexts = []
    expect(heard.splice(0)).toEqual([])
  })

  const there = (): { served: ChatSite; browser: Browser } => {
    if (!served || !browser) throw new Error('There is no browser yet.')
    return { served, browser }
  }
  const page = async (context: BrowserContext, url: string): Promise<Page> => {
    const opened = await context.newPage()
    opened.on('pageerror', (error) => void heard.push(String(error.stack)))
    opened.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !isOfModel(message.text()))
        heard.push(message.text())
    })
    await opened.goto(url)
    if (!url.endsWith('.svg')) await composer(opened).waitFor()
    return opened
  }
  return {
    async open({ search = '', init, ...options } = {}) {
      const { browser: real, served: site } = there()
      const context = await real.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      context.setDefaultTimeout(20_000)
      contexts.push(context)
      if (init) await context.addInitScript(init)
      return page(context, site.url + search)
    },
    tab: (beside, url = beside.url()) => page(beside.context(), url),
    site: () => there().served,
    complaints: () => heard.splice(0),
  }
}

/** What comes over other tabs, or after a pause, takes a while. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 20_000 })

export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await page.keyboard.press('Enter')
}

/** All turns of both sides that are drawn. */
export const turns = (page: Page) => page.locator('.transcript [aria-posinset]')

export const lastTurn = (page: Page) => turns(page).last()

/** Nothing runs any more. */
export const atRest = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()

export const answer = (page: Page) => lastTurn(page).locator('.prose').innerText()

export const account = (page: Page) => page.getByRole('region', { name: 'What happened' })

/** Chromium has the door of a model of its own, and in tests nothing behind it: it says so when it is asked. */
const isOfModel = (text: string): boolean =>
  text.includes('Unable to create a text session because the service is not running')

async function launch(name: 'chromium' | 'firefox'): Promise<Browser> {
  const found = findBrowser(name)
  if (!found) throw new Error(`${name} was not found; \`npm run browsers -- --all\` installs it`)
  const { path: executablePath, driver } = found
  if (name === 'chromium') return chromium.launch({ executablePath })
  return firefox.launch({ executablePath, ...(driver === 'bidi' ? { channel: 'moz-firefox' } : {}) })
}
