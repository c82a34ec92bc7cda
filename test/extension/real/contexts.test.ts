import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExtensionPage } from './extension/page.ts'
import type { Visit } from './extension/visit.ts'
import { loadExtension, type LoadedExtension } from './loaded.ts'

declare const page: ExtensionPage
/** What an extension's page has of it. */
declare const chrome: {
  readonly action: { openPopup(): Promise<void> }
  readonly offscreen: {
    createDocument(about: { url: string; reasons: readonly string[]; justification: string }): Promise<void>
  }
  readonly runtime: {
    getContexts(which: object): Promise<{ readonly contextType: string; readonly documentUrl?: string }[]>
  }
  readonly windows: { getCurrent(): Promise<{ readonly id: number }> }
}

let extension: LoadedExtension
let tab: Page

beforeAll(async () => {
  extension = await loadExtension()
  tab = await extension.openPage()
  await tab.evaluate(() => page.checkpointer.thread('secret').save({}))
}, 60_000)
afterAll(() => extension.close())

/** Which kinds of contexts have been opened for this visit, as the browser says. */
const contextsOf = (id: string): Promise<string[]> =>
  tab.evaluate(async (name) => {
    const all = await chrome.runtime.getContexts({})
    return all.flatMap((each) => (each.documentUrl?.endsWith(`?visit=${name}`) ? each.contextType : []))
  }, id)

/** Sees that somebody came, stops the service worker meanwhile, and answers what is asked: what has come of it. */
async function received(
  id: string,
): Promise<Omit<Visit, 'came' | 'met'> & { isDate: boolean; met: string[] }> {
  const status = (): Promise<string | undefined> =>
    tab.evaluate(async (name) => (await page.checkpointer.thread(name).latestRun())?.status, id)
  await expect.poll(status, { timeout: 20_000 }).toBe('waiting')
  await extension.stopWorker()
  await tab.evaluate((name) => page.checkpointer.thread(name).answer('the tab'), id)
  await expect.poll(status, { timeout: 20_000 }).toBe('finished')
  return tab.evaluate(async (name) => {
    const found = await page.checkpointer.thread<Visit>(name).load()
    if (!found) throw new Error('nothing was stored')
    const { came, met, heard, elsewhere } = found.state
    return { isDate: came instanceof Date && came.getTime() === 1_000, met: [...met], heard, elsewhere }
  }, id)
}

const visited = {
  isDate: true,
  met: ['a step', 'the tab'],
  heard: expect.arrayContaining(['run', 'saved', 'writes']) as string[],
  elsewhere: 'found',
}

it(
  'an offscreen document has the store, and its run outlives the service worker',
  { timeout: 60_000 },
  async () => {
    await tab.evaluate(() =>
      chrome.offscreen.createDocument({
        url: 'page.html?visit=offscreen',
        reasons: ['WORKERS'],
        justification: 'A test.',
      }),
    )
    expect(await contextsOf('offscreen')).toEqual(['OFFSCREEN_DOCUMENT'])
    expect(await received('offscreen')).toEqual(visited)
  },
)

it('a popup has the store', { timeout: 60_000 }, async () => {
  await tab.bringToFront()
  await tab.evaluate(() => chrome.action.openPopup())
  await expect.poll(() => contextsOf('popup')).toEqual(['POPUP'])
  expect(await received('popup')).toEqual(visited)
})

it('a side panel has the store', { timeout: 60_000 }, async () => {
  await tab.bringToFront()
  const { id } = await tab.evaluate(() => chrome.windows.getCurrent())
  const session = await extension.context.newCDPSession(tab)
  // It is opened only while a gesture of the user is being handled.
  await session.send('Runtime.evaluate', {
    expression: `chrome.sidePanel.open({ windowId: ${id} })`,
    userGesture: true,
    awaitPromise: true,
  })
  await expect.poll(() => contextsOf('side-panel')).toEqual(['SIDE_PANEL'])
  expect(await received('side-panel')).toEqual(visited)
})

it('a content script that is allowed has its thread, and no other', { timeout: 60_000 }, async () => {
  const web = await extension.web()
  await web.evaluate(() => document.dispatchEvent(new CustomEvent('visit')))
  expect(await received('shared')).toEqual({ ...visited, elsewhere: 'FORBIDDEN' })
  // It has left nothing in the page that it is in.
  const left = await web.evaluate(async () => [await indexedDB.databases(), localStorage.length])
  expect(left).toEqual([[], 0])
})
