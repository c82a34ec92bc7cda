import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findBrowser, wantedBrowsers } from '../../scripts/browsers.ts'
import { root } from '../../scripts/doors.ts'
import { buildExtension } from '../../scripts/extension.ts'
import { quietFirefox } from '../extension/real/quiet/firefox.ts'

const isWanted = wantedBrowsers().includes('firefox')
const isHere = isWanted && findBrowser('firefox') !== undefined
const missing = isHere ? '' : ` (skipped: firefox is ${isWanted ? 'not here' : 'not asked for'})`

const PARTS = 3
const sentences = Array.from(
  { length: PARTS },
  (_, n) => `Part ${n + 1} of the page says something that is long enough to be worth a note of its own.`,
)

/** A page of the web, on loopback. */
async function site(): Promise<string> {
  const html = `<title>Three parts</title>${sentences.map((each) => `<p>${each}</p>`).join('')}`
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

it.skipIf(missing !== '')(
  `the extension that takes notes does so in Firefox, without an error${missing}`,
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forkpoint-notes-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
    const built = join(folder, 'built')
    await buildExtension({
      folder: join(root, 'demo/extension'),
      outDir: built,
      manifest: 'manifest.firefox.json',
    })
    // In a browser without a screen nobody can press the button in the toolbar, which allows it for one tab.
    const manifest = join(built, 'manifest.json')
    const given = JSON.parse(readFileSync(manifest, 'utf8')) as object
    writeFileSync(manifest, JSON.stringify({ ...given, host_permissions: ['http://127.0.0.1/*'] }))
    const firefox = await quietFirefox(built, join(folder, 'profile'), { idle: 3_000 })
    onTestFinished(() => firefox.close())

    const panel = await firefox.open('panel.html', "document.getElementById('pages-empty')?.hidden === false")
    await firefox.web(await site())
    await panel.evaluate("document.getElementById('begin').click()")
    const text = (selector: string): Promise<unknown> =>
      panel.evaluate(`document.querySelector('${selector}')?.textContent ?? ''`)
    await expect.poll(() => text('#how'), { timeout: 60_000 }).toMatch(/^Done: 3 of 3 notes/)
    expect(
      await panel.evaluate("[...document.querySelectorAll('.notes li')].map((each) => each.textContent)"),
    ).toEqual(sentences)

    const options = await firefox.open(
      'options.html',
      "document.querySelector('forkpoint-inspector')?.shadowRoot?.textContent.includes('Three parts') === true",
    )
    await options.close()
    expect(firefox.complaints).toEqual([])
    await panel.evaluate("void Promise.reject(new Error('an error is heard'))")
    await expect.poll(() => firefox.complaints).toEqual([expect.stringContaining('an error is heard')])
  },
)
