import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'

const EXPECTED = {
  'before it is allowed': { answer: 'refused', persisted: false },
  'when it is allowed': { answer: 'granted', persisted: true },
  'in an extension': { answer: 'unsupported', persisted: false },
  'in an extension with unlimitedStorage': { answer: 'granted', persisted: true },
}

/** What Chromium grants is asked for in a page, and in extensions with and without the permission for it. */
export default {
  promise: 'persist() and usage() say of the browser what holds',
  rounds: { short: 1, long: 1 },
  on: ['chromium'],
  elsewhere: {
    'chromium-sqlite': 'what is granted has nothing to do with the store',
    firefox: 'tested by the suite, with the question answered by a preference',
    webkit: 'it has no `persist` by default',
  },
  async run({ ground, folder }) {
    const site = await openSite()
    const extensions = [[], ['unlimitedStorage']].map((permissions, i) => {
      const extension = join(folder, `extension-${i}`)
      cpSync(site.folder, extension, { recursive: true })
      const manifest = {
        manifest_version: 3,
        name: `extension ${i}`,
        version: '1',
        permissions,
        background: { service_worker: 'nothing.js' },
      }
      writeFileSync(join(extension, 'manifest.json'), JSON.stringify(manifest))
      writeFileSync(join(extension, 'nothing.js'), `self.name = '${permissions.join()}'`)
      return extension
    })
    const browser = await startBrowser(ground, join(folder, 'profile'), {
      args: [`--disable-extensions-except=${extensions.join()}`, `--load-extension=${extensions.join()}`],
    })
    try {
      const { context } = browser
      const asks = async (url: string) => (await browser.open(url)).evaluate(() => loads.askToPersist())
      const found: Record<string, unknown> = {}
      found['before it is allowed'] = await asks(site.url)
      const page = await context.newPage()
      const session = await context.newCDPSession(page)
      const { origin } = new URL(site.url)
      await session.send('Browser.grantPermissions', { permissions: ['durableStorage'], origin })
      found['when it is allowed'] = await asks(site.url)
      while (context.serviceWorkers().length < extensions.length) await context.waitForEvent('serviceworker')
      for (const worker of context.serviceWorkers()) {
        const permission = await worker.evaluate(() => self.name)
        const { host } = new URL(worker.url())
        const where = permission === '' ? 'in an extension' : `in an extension with ${permission}`
        found[where] = await asks(`chrome-extension://${host}/index.html`)
      }
      for (const [where, expected] of Object.entries(EXPECTED))
        if (JSON.stringify(found[where]) !== JSON.stringify(expected)) throw broken(where, found)
      return { asked: Object.keys(found).length }
    } finally {
      await browser.close()
      await site.close()
    }
  },
} satisfies Proof
