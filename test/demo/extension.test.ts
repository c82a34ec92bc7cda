import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../scripts/doors.ts'
import { loadExtension, type LoadedExtension } from '../extension/real/loaded.ts'
import { expectClean } from './chat/support/axe.ts'

const PARTS = 6
const sentences = Array.from(
  { length: PARTS },
  (_, n) =>
    `Part ${n + 1} of the page says <b>something</b> that is long enough to be worth a note of its own.`,
)
/** As it is seen. */
const bare = (sentence: string): string => sentence.replace(/<.?b>/g, '')
const WEB = `<title>Six &lt;parts&gt;</title>${sentences.map((each) => `<p>${each}</p>`).join('')}`

const folder = join(root, 'demo/extension')
let extension: LoadedExtension
/** The same with the manifest that it comes with, which lets it read a page when its button is pressed there. */
let shipped: LoadedExtension
const complaints: string[] = []

beforeAll(async () => {
  extension = await loadExtension({ folder, manifest: { host_permissions: ['http://127.0.0.1/*'] } })
  shipped = await loadExtension({ folder })
}, 120_000)
afterAll(async () => {
  await extension.close()
  await shipped.close()
})

async function open(file: string): Promise<Page> {
  const page = await extension.open(file)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  await page.reload()
  return page
}

/** As a panel that is beside the page: a tab would come in front of it. */
const press = (panel: Page): Promise<void> =>
  panel.locator('#begin').evaluate((button) => (button as HTMLElement).click())

it(
  'takes its notes although its service worker dies, and shows them live',
  { timeout: 120_000 },
  async () => {
    const panel = await open('panel.html')
    await panel.getByText('Open a page that').waitFor()
    await press(panel)
    await panel.getByText('This page may not be read yet.').waitFor()

    const web = await extension.web(WEB)
    await web.bringToFront()
    await press(panel)
    const how = panel.locator('#how')
    const notes = panel.locator('.notes li')
    for (let lives = 1; lives <= 2; lives++) {
      await notes.nth(lives).waitFor({ timeout: 30_000 })
      await extension.stopWorker()
      await how
        .getByText(lives === 1 ? 'taken up again once' : 'taken up again 2 times')
        .waitFor({ timeout: 30_000 })
    }
    await how.getByText(`Done: ${PARTS} of ${PARTS} notes`).waitFor({ timeout: 60_000 })
    expect(await notes.allInnerTexts()).toEqual(sentences.map(bare))
    expect(await panel.locator('#notes-title').innerText()).toBe('Six <parts>')
    await panel.locator('#pages').getByText('Six <parts>').waitFor()
    await expectClean(panel, 'the panel')

    const options = await open('options.html')
    await options.locator('forkpoint-inspector').getByText('finished').first().waitFor({ timeout: 30_000 })
    await expectClean(options, 'the options')

    await panel
      .getByRole('button', { name: 'Forget this page' })
      .evaluate((button) => (button as HTMLElement).click())
    await panel.getByText('Open a page that').waitFor()
    expect(complaints).toEqual([])
  },
)

/** What an extension's page has of it. */
declare const chrome: { readonly extension: { getViews(): readonly Window[] } }

it(
  'reads the page on which its button is pressed, and its side panel follows when the service worker dies',
  { timeout: 120_000 },
  async () => {
    const options = await shipped.open('options.html')
    /** The text of the side panel, which is no page that a test can have. */
    const panel = (): Promise<string> =>
      options.evaluate(() => {
        const view = chrome.extension.getViews().find(({ location }) => location.pathname === '/panel.html')
        return view?.document.body.innerText ?? 'no panel'
      })
    expect(await panel()).toBe('no panel')
    const web = await shipped.web(WEB)
    await web.bringToFront()
    await shipped.pressButton(web)
    const notes = async (): Promise<number> => sentences.filter((each) => text.includes(bare(each))).length
    let text = ''
    const look = async (): Promise<string> => (text = await panel())
    await expect.poll(async () => (await look(), notes()), { timeout: 30_000 }).toBeGreaterThan(1)
    await shipped.stopWorker()
    const stopped = Date.now()
    await expect.poll(look, { timeout: 30_000, interval: 20 }).toContain('taken up again once')
    console.log(`the side panel showed it ${Date.now() - stopped} ms after the stop`)
    await expect.poll(look, { timeout: 60_000 }).toContain(`Done: ${PARTS} of ${PARTS} notes`)
    expect(await notes()).toBe(PARTS)
  },
)
