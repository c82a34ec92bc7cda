/**
 * A Chromium with an extension in it, of which only pages are looked at. Playwright attaches to service workers too, and
 * one that is attached to never dies of idling.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser } from '../../../../scripts/browsers.ts'
import { session, type QuietBrowser, type QuietPage } from './quiet.ts'
import { until } from './until.ts'

export async function quietChromium(built: string, profile: string): Promise<QuietBrowser> {
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  const args = [
    '--headless=new',
    '--remote-debugging-port=0',
    '--no-first-run',
    '--disable-dev-shm-usage',
    `--user-data-dir=${profile}`,
    `--disable-extensions-except=${built}`,
    `--load-extension=${built}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    'about:blank',
  ]
  const browser = spawn(found.path, args, { stdio: 'ignore', detached: true })
  const ended = once(browser, 'exit')
  const close = async (): Promise<void> => {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL')
    await ended
  }
  try {
    const port = await until(() =>
      Number(readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')[0]),
    )
    const at = `http://127.0.0.1:${port}/json`
    const worker = await until(async () => {
      const targets = (await (await fetch(`${at}/list`)).json()) as { type: string; url: string }[]
      return targets.find(({ type, url }) => type === 'service_worker' && url.startsWith('chrome-extension:'))
    })
    const id = new URL(worker.url).host
    const { Browser: version } = (await (await fetch(`${at}/version`)).json()) as { Browser: string }
    return {
      version,
      close,
      async open(file, isReady) {
        const opened = await fetch(`${at}/new?chrome-extension://${id}/${file}`, { method: 'PUT' })
        const target = (await opened.json()) as { id: string; webSocketDebuggerUrl: string }
        const send = await session(target.webSocketDebuggerUrl)
        await send('ServiceWorker.enable')
        const page: QuietPage = {
          async evaluate(expression) {
            const { result, exceptionDetails } = (await send('Runtime.evaluate', {
              expression,
              awaitPromise: true,
              returnByValue: true,
            })) as { result: { value?: unknown }; exceptionDetails?: unknown }
            if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
            return result.value
          },
          stopWorkers: async () => void (await send('ServiceWorker.stopAllWorkers')),
          close: async () => void (await fetch(`${at}/close/${target.id}`)),
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
