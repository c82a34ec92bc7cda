import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider, BrowserProviderOption, TestProject } from 'vitest/node'

/**
 * Drives WebKitGTK's MiniBrowser from Vitest: the only WebKit that Debian has a package of. A virtual display,
 * WebKitWebDriver on a free port, and one WebDriver session, all started for the first page and ended by `close`.
 */
export function webkitgtk(options: { readonly miniBrowser: string }): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'webkitgtk',
    supportedBrowser: ['webkit'],
    options,
    providerFactory: (project) => new WebkitgtkProvider(project, options.miniBrowser),
  })
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    __vitest_viewport(): Promise<void>
    __vitest_cleanup(): Promise<void>
  }
}

class WebkitgtkProvider implements BrowserProvider {
  readonly name = 'webkitgtk'
  readonly supportsParallelism = false
  readonly #miniBrowser: string
  #children: ChildProcess[] = []
  #session: Promise<string> | undefined

  constructor(project: TestProject, miniBrowser: string) {
    this.#miniBrowser = miniBrowser
    // Vitest's page calls both around every file, and only its own providers bring them.
    project.browser?.registerCommand('__vitest_viewport', async () => {})
    project.browser?.registerCommand('__vitest_cleanup', async () => {})
    process.once('exit', () => this.#endChildren())
  }

  getCommandsContext(): Record<string, unknown> {
    return {}
  }

  async openPage(_sessionId: string, url: string): Promise<void> {
    this.#session ??= this.#start()
    await post(`${await this.#session}/url`, { url })
  }

  async close(options?: { keepWarm?: boolean }): Promise<void> {
    if (options?.keepWarm) return
    const session = await this.#session?.catch(() => undefined)
    if (session !== undefined) await fetch(session, { method: 'DELETE' }).catch(() => undefined)
    this.#endChildren()
    this.#session = undefined
  }

  /** Answers the address of the session. */
  async #start(): Promise<string> {
    const display = await this.#startDisplay()
    const port = await freePort()
    const env = { ...process.env, DISPLAY: display, GDK_BACKEND: 'x11' }
    this.#children.push(spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env }))
    const address = `http://127.0.0.1:${port}`
    await answers(`${address}/status`)
    const reply = await post(`${address}/session`, {
      capabilities: {
        alwaysMatch: {
          browserName: 'MiniBrowser',
          'webkitgtk:browserOptions': {
            binary: this.#miniBrowser,
            // Off by default in this port of WebKit: windows of a script's own, navigator.storage.
            args: [
              '--automation',
              '--javascript-can-open-windows-automatically=true',
              '--features=+StorageAPI,+StorageAPIEstimate',
            ],
          },
        },
      },
    })
    return `${address}/session/${sessionIdOf(reply)}`
  }

  async #startDisplay(): Promise<string> {
    const args = ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp']
    const xvfb = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    this.#children.push(xvfb)
    const [number]: unknown[] = await once(xvfb.stdio[3] as Readable, 'data')
    return `:${String(number).trim()}`
  }

  #endChildren(): void {
    for (const child of this.#children.reverse()) child.kill()
    this.#children = []
  }
}

async function post(address: string, body: unknown): Promise<unknown> {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`WebDriver refused ${address}: ${text}`)
  return JSON.parse(text)
}

function sessionIdOf(reply: unknown): string {
  const { value } = reply as { value?: { sessionId?: string } }
  if (value?.sessionId === undefined) throw new Error(`WebDriver gave no session: ${JSON.stringify(reply)}`)
  return value.sessionId
}

async function answers(address: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fetch(address)
      return
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
