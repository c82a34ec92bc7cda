import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { findBrowser } from '../../../scripts/browsers.ts'
import { serveSite, type Site } from './site.ts'

interface Inspected {
  /** A page of its own, with what this leaves in its checkpointer. */
  open(furnish?: () => Promise<void>, options?: BrowserContextOptions): Promise<Page>
  /** Another tab of the same browser. */
  tab(beside: Page): Promise<Page>
  /** Takes what the console has complained of: a test that means to hear it. */
  complaints(): string[]
}

/** The inspector in a real browser, under the policy. What the console complains of fails the test. */
export function inspected(): Inspected {
  let site: Site | undefined
  let browser: Browser | undefined
  let contexts: BrowserContext[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    const found = findBrowser('chromium')
    if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
    site = await serveSite()
    browser = await chromium.launch({ executablePath: found.path })
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })
  afterEach(async () => {
    for (const context of contexts) await context.close()
    contexts = []
    expect(complaints.splice(0)).toEqual([])
  })

  const there = (): { site: Site; browser: Browser } => {
    if (!site || !browser) throw new Error('There is no browser yet.')
    return { site, browser }
  }
  const page = async (context: BrowserContext): Promise<Page> => {
    const opened = await context.newPage()
    opened.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    opened.on('pageerror', (error) => void complaints.push(String(error.stack)))
    opened.on('dialog', (dialog) => void complaints.push(`a dialog: ${dialog.message()}`))
    await opened.goto(there().site.url)
    await opened.waitForFunction(() => 'checkpointer' in window)
    return opened
  }
  return {
    async open(furnish, options = {}) {
      const context = await there().browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      context.setDefaultTimeout(10_000)
      contexts.push(context)
      const opened = await page(context)
      if (furnish) await opened.evaluate(furnish)
      return opened
    },
    tab: (beside) => page(beside.context()),
    complaints: () => complaints.splice(0),
  }
}

/** What is counted or heard from another tab takes a while. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 8_000 })

/** Opens a thread by hand. */
export async function openThread(page: Page, name: string): Promise<void> {
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).click()
  await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
}

/** The checkpoint of this seq in the graph. */
export const checkpoint = (page: Page, seq: number) =>
  page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem', { name: new RegExp(`^${seq}\\b`) })

export const detail = (page: Page) => page.getByRole('region', { name: 'Checkpoint', exact: true })

export const status = (page: Page) => page.getByRole('status')
