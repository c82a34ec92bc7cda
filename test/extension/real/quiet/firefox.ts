/** A Firefox with an extension in it, driven by WebDriver BiDi: what Firefox itself offers for loading one for a while. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findBrowser } from '../../../../scripts/browsers.ts'
import { session, type QuietBrowser, type QuietPage } from './quiet.ts'
import { until } from './until.ts'

/** Firefox gives each extension an address of chance, unless it is told which. */
const ADDRESS = '5f0c9b3e-3c6f-4a3e-9f5c-0d5b8a0c7a11'

/** Of the extension, and not of the browser itself: that writes what it says without quotes. */
const isComplaint = (line: string): boolean =>
  /^(JavaScript |console\.)(error|warn|warning): /.test(line) &&
  (line.includes(ADDRESS) || line.includes(': "'))

interface QuietFirefox extends QuietBrowser {
  /** A page of the web, in front of all others. */
  web(url: string): Promise<void>
  /** What the extension has complained of so far, its background too. */
  readonly complaints: readonly string[]
}

/** `idle`: after so many milliseconds without anything to do, the background page is put to rest. */
export async function quietFirefox(
  built: string,
  profile: string,
  { idle }: { readonly idle: number },
): Promise<QuietFirefox> {
  const found = findBrowser('firefox')
  if (!found) throw new Error('Firefox was not found; `npm run browsers -- --all` installs it')
  mkdirSync(profile, { recursive: true })
  const { browser_specific_settings: settings } = JSON.parse(
    readFileSync(join(built, 'manifest.json'), 'utf8'),
  ) as { browser_specific_settings: { gecko: { id: string } } }
  const prefs = {
    'extensions.background.idle.timeout': idle,
    'extensions.webextensions.uuids': JSON.stringify({ [settings.gecko.id]: ADDRESS }),
    'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'app.update.enabled': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    // What pages complain of is written out.
    'browser.dom.window.dump.enabled': true,
    'devtools.console.stdout.content': true,
  }
  const lines = Object.entries(prefs).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const args = [
    '--headless',
    '--no-remote',
    '--remote-debugging-port=0',
    // Pages of extensions may not be opened without it.
    '--remote-allow-system-access',
    '--profile',
    profile,
  ]
  const browser = spawn(found.path, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const complaints: string[] = []
  for (const stream of [browser.stdout, browser.stderr])
    createInterface(stream).on('line', (line) => {
      if (isComplaint(line)) complaints.push(line)
    })
  const ended = once(browser, 'exit')
  const close = async (): Promise<void> => {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL')
    await ended
  }
  try {
    const port = await until(() => {
      const { ws_port: at } = JSON.parse(readFileSync(join(profile, 'WebDriverBiDiServer.json'), 'utf8')) as {
        ws_port: number
      }
      return at
    })
    const send = await session(`ws://127.0.0.1:${port}/session`)
    const { capabilities } = (await send('session.new', { capabilities: {} })) as {
      capabilities: { browserVersion: string }
    }
    await send('webExtension.install', { extensionData: { type: 'path', path: built } })
    const show = async (url: string): Promise<string> => {
      const { context } = (await send('browsingContext.create', { type: 'tab' })) as { context: string }
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
      return context
    }
    return {
      version: `Firefox/${capabilities.browserVersion}`,
      close,
      complaints,
      web: async (url) => void (await show(url)),
      async open(file, isReady) {
        const context = await show(`moz-extension://${ADDRESS}/${file}`)
        const page: QuietPage = {
          async evaluate(expression) {
            const { result, exceptionDetails } = (await send('script.evaluate', {
              expression: `(async () => JSON.stringify(await (${expression})))()`,
              target: { context },
              awaitPromise: true,
            })) as { result?: { value?: string }; exceptionDetails?: unknown }
            if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
            return result?.value === undefined ? undefined : JSON.parse(result.value)
          },
          close: async () => void (await send('browsingContext.close', { context })),
        }
        await until(async () => ((await page.evaluate(isReady)) === true ? true : undefined))
        return page
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
