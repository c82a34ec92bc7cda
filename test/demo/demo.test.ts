import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { build, createServer, preview, type PreviewServer, type ViteDevServer } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { findBrowser } from '../../scripts/browsers.ts'
import { root } from '../../scripts/doors.ts'

const folder = mkdtempSync(join(tmpdir(), 'forkpoint-demo-'))
const shared = {
  configFile: join(root, 'vite.config.ts'),
  root: join(root, 'demo'),
  logLevel: 'error',
  cacheDir: join(folder, 'cache'),
  build: { outDir: join(folder, 'dist') },
} as const

let browser: Browser | undefined
let built: PreviewServer | undefined
let dev: ViteDevServer | undefined
let context: BrowserContext
/** What the pages of a test have complained of, on the console or to the user; it has to stay empty. */
let complaints: string[]

beforeAll(async () => {
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  browser = await chromium.launch({ executablePath: found.path })
  await build(shared)
  built = await preview({ ...shared, preview: { host: '127.0.0.1', port: 0, open: false } })
})

afterAll(async () => {
  await browser?.close()
  await built?.close()
  await dev?.close()
  rmSync(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  complaints = []
  if (!browser) throw new Error('There is no browser.')
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  context.setDefaultTimeout(8_000)
})

afterEach(async () => {
  for (const page of context.pages()) {
    complaints.push(...(await page.locator('#status[data-tone="error"]').allInnerTexts()))
  }
  await context.close()
  expect(complaints).toEqual([])
})

it('goes on after a reload, forks, prunes, and tells a second tab', async () => {
  const first = await open(urlOf(built))
  await first.getByRole('button', { name: 'Run', exact: true }).click()
  await step(first, 4)

  await first.reload()
  await first.getByText(/^Resumed at step \d+ after a reload/).waitFor()
  const resumed = Number(/\d+/.exec(await status(first))?.[0])
  expect(resumed).toBeGreaterThanOrEqual(4)
  // The thread is named in the address, so this tab shows the same one while the first still runs it.
  const second = await open(first.url())
  await second.getByText('Running in another tab').waitFor()
  await step(second, 12)
  await second.getByText('Finished', { exact: true }).waitFor()
  await first.getByText(/^The agent has finished/).waitFor()
  expect(await nodes(second)).toEqual(await nodes(first))
  // Not a step was lost or done twice by the reload.
  const round = ['write', 'read', 'search', 'plan']
  expect(await nodes(first)).toEqual([...round, ...round, ...round, 'input'])
  expect(await second.getByRole('region', { name: 'Checkpoint seq 13 · step 12' }).innerText()).toContain(
    'That answers it.',
  )

  const origin = await thread(first)
  // A tab in the background is slow to answer a click.
  await first.bringToFront()
  await row(first, 6).click()
  await first.getByRole('button', { name: 'Fork from here' }).click()
  await first.getByLabel('Last message').fill('I will look for <b>latitude</b> at noon.')
  await first.getByRole('button', { name: 'Fork', exact: true }).click()
  await first.getByText(`fork of ${origin} at seq 6`).waitFor()
  await second.getByText(`fork of ${origin} at seq 6`).waitFor()
  expect(await thread(first)).not.toBe(origin)
  const message = first.locator('blockquote p')
  await expect.poll(() => message.innerText()).toBe('I will look for <b>latitude</b> at noon.')
  await first.getByRole('button', { name: 'Run', exact: true }).click()
  await row(first, 9).waitFor()
  await row(first, 8).click()
  await first.locator('blockquote', { hasText: 'Found “The noon sight”' }).waitFor()
  await first.getByRole('button', { name: 'Stop' }).click()
  await first.getByText(/^Paused before/).waitFor()

  await second.bringToFront()
  await prune(second, 'Cancel')
  expect(await nodes(second)).toHaveLength(13)
  await prune(second, 'Prune 8 checkpoints')
  await second.getByText(/^Pruned 8 checkpoints, kept 5/).waitFor()
  await expect.poll(() => nodes(second)).toHaveLength(5)
  // What the fork shares with the pruned thread is still there.
  await first.bringToFront()
  await row(first, 2).click()
  await first.getByRole('region', { name: 'Checkpoint seq 2 · step 1' }).waitFor()

  await second.bringToFront()
  await second.getByRole('button', { name: 'Delete thread' }).click()
  await second.getByRole('button', { name: 'Delete', exact: true }).click()
  await second.getByText(`Deleted ${origin}.`).waitFor()
  await expect.poll(() => first.getByRole('navigation').getByRole('listitem').count()).toBe(1)
})

it('does not go on after a reload with what was stopped', async () => {
  const page = await open(urlOf(built))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await step(page, 1)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText(/^Stopped/).waitFor()
  const before = await nodes(page)
  await page.reload()
  await page.getByText(/^Paused before/).waitFor()
  expect(await nodes(page)).toEqual(before)
})

it('takes a run over from a tab that is gone, and says so', async () => {
  const first = await open(urlOf(built))
  const bar = await first.locator('#status:empty').evaluate((line) => getComputedStyle(line).borderLeftColor)
  expect(bar).toBe('rgba(0, 0, 0, 0)')
  await first.getByRole('button', { name: 'Run', exact: true }).click()
  await step(first, 1)
  const url = first.url()
  await first.close()
  const second = await open(url)
  await second.getByText(/^Took over .* at step \d+: the tab that ran it is gone/).waitFor()
  await step(second, 4)
})

it('plans by the message that a fork has edited', async () => {
  const page = await open(urlOf(built))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await step(page, 1)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText(/^Stopped/).waitFor()
  const origin = await thread(page)
  await row(page, 1).click()
  await page.getByRole('button', { name: 'Fork from here' }).click()
  await page.getByText('What comes next, plan, reads this message').waitFor()
  await page.getByLabel('Last message').fill('Which wreck was there at Scilly?')
  await page.getByRole('button', { name: 'Fork', exact: true }).click()
  await page.getByText(/at seq 1, with another last message/).waitFor()
  // Until it shows the fork, it is the origin that would run.
  await expect.poll(() => thread(page)).not.toBe(origin)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  // Not while it is the newest: then the page would go on to show what comes after it.
  await row(page, 5).waitFor()
  await row(page, 4).click()
  await page.locator('blockquote', { hasText: 'Found “The wreck at Scilly”' }).waitFor()
})

it('shows an error with its code', async () => {
  const page = await open(`${urlOf(built)}#${'x'.repeat(300)}`)
  await page.getByRole('status').getByText('INVALID').waitFor()
  await page.getByRole('button', { name: 'New thread' }).click()
  await page.getByText('A new thread.').waitFor()
})

it('is served from the sources', async () => {
  dev = await createServer({
    ...shared,
    server: { host: '127.0.0.1', port: 0, open: false, hmr: false, watch: null },
  })
  await dev.listen()
  const page = await open(urlOf(dev))
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await step(page, 2)
})

async function open(url: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  await page.goto(url)
  return page
}

function urlOf(server: { readonly resolvedUrls: { readonly local: string[] } | null } | undefined): string {
  const url = server?.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('The server does not listen.')
  return url
}

const status = (page: Page) => page.getByRole('status').innerText()

const row = (page: Page, seq: number) => page.locator(`#history li[data-key="${seq}"] button`)

/** Seqs count from 1 and steps from 0. */
const step = (page: Page, number: number) => row(page, number + 1).waitFor()

const nodes = (page: Page) => page.locator('#history strong').allInnerTexts()

const thread = (page: Page) => page.locator('#threads [aria-current] strong').innerText()

async function prune(page: Page, answer: string): Promise<void> {
  await page.getByRole('button', { name: 'Prune to last 5' }).click()
  await page.getByText('Would remove 8 checkpoints and keep 5.').waitFor()
  await page.getByRole('button', { name: answer, exact: true }).click()
}
