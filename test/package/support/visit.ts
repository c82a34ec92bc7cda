import type { Browser, BrowserContext } from 'playwright-core'

/** What the consumer comes to, in a page or a worker. */
export const EXPECTED = JSON.stringify({
  seqs: [5, 4],
  states: [
    { messages: ['one', 'two', 'three', 'four', 'five'], since: '1970-01-01T00:00:00.000Z' },
    { messages: ['one', 'two', '2½'], since: '1970-01-01T00:00:00.000Z' },
  ],
})

/** The same in a browser that knows nothing of the page yet. */
export async function visit(browser: Browser, url: string | undefined): Promise<void> {
  const context = await browser.newContext()
  try {
    await visitIn(context, url)
  } finally {
    await context.close()
  }
}

/** Opens the page of the consumer twice: it has to say the same, to have a worker, and to complain of nothing. */
export async function visitIn(context: BrowserContext, url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error('The page is not served')
  const complaints: string[] = []
  const workers: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('worker', (worker) => workers.push(worker.url()))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  for (const open of [() => page.goto(url), () => page.reload()]) {
    await open()
    const said = await page
      .waitForFunction(() => document.querySelector('#said')?.textContent, undefined, { timeout: 30_000 })
      .then((text) => text.jsonValue())
      .catch((error: unknown) => String(error))
    if (said !== EXPECTED) complaints.push(`The page said ${said}`)
  }
  await page.close()
  if (workers.length !== 2) complaints.push(`There were ${workers.length} workers for two visits`)
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
}
