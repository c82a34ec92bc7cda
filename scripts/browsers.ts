/**
 * Finds the browsers that the tests run in, and installs what is missing.
 * `npm run browsers` is for Chromium, `npm run browsers -- --all` for Firefox and WebKit too.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, firefox, webkit } from 'playwright-core'

export const BROWSERS = ['chromium', 'firefox', 'webkit'] as const
export type BrowserName = (typeof BROWSERS)[number]

export interface Browser {
  readonly name: BrowserName
  readonly path: string
  /** `bidi`: a stock Firefox, which only WebDriver BiDi can drive. `webkitgtk`: Debian's, by WebDriver. */
  readonly driver: 'playwright' | 'bidi' | 'webkitgtk'
}

const debianPackages: Record<BrowserName, readonly string[]> = {
  chromium: ['chromium'],
  firefox: ['firefox-esr'],
  webkit: ['webkit2gtk-driver', 'xvfb', 'xauth'],
}

/** From FORKPOINT_BROWSERS (a list, `all` or `none`) or `--all`; Chromium when nothing is said. */
export function wantedBrowsers(args: readonly string[] = []): BrowserName[] {
  const asked = process.env['FORKPOINT_BROWSERS'] ?? ''
  if (args.includes('--all') || asked === 'all') return [...BROWSERS]
  if (asked === '') return ['chromium']
  if (asked === 'none') return []
  return asked.split(',').map((word) => {
    const name = BROWSERS.find((known) => known === word.trim())
    if (name === undefined)
      throw new Error(`FORKPOINT_BROWSERS: '${word}' is none of ${BROWSERS.join(', ')}, all, none`)
    return name
  })
}

export function findBrowser(name: BrowserName): Browser | undefined {
  switch (name) {
    case 'chromium': {
      const path =
        fromEnv('CHROMIUM_PATH') ??
        onPath('chromium', 'chromium-browser', 'google-chrome') ??
        usable(chromium.executablePath())
      return path === undefined ? undefined : { name, path, driver: 'playwright' }
    }
    case 'firefox': {
      const stock = fromEnv('FIREFOX_PATH') ?? onPath('firefox-esr')
      if (stock !== undefined) return { name, path: stock, driver: 'bidi' }
      const path = usable(firefox.executablePath())
      return path === undefined ? undefined : { name, path, driver: 'playwright' }
    }
    case 'webkit': {
      const [miniBrowser] = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')
      const complete = onPath('WebKitWebDriver') !== undefined && onPath('Xvfb') !== undefined
      if (miniBrowser !== undefined && complete) return { name, path: miniBrowser, driver: 'webkitgtk' }
      const path = usable(webkit.executablePath())
      return path === undefined ? undefined : { name, path, driver: 'playwright' }
    }
  }
}

/** Finds or installs each, saying which; throws when one cannot be had. */
export function ensureBrowsers(names: readonly BrowserName[]): Browser[] {
  return names.map((name) => {
    const browser = findBrowser(name) ?? install(name)
    console.log(`${name}: ${versionOf(browser)} (${browser.path})`)
    return browser
  })
}

function install(name: BrowserName): Browser {
  const packages = debianPackages[name]
  const tried: string[] = []
  if (process.getuid?.() === 0 && onPath('apt-get') !== undefined) {
    const apt = 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends '
    tried.push(run(name, 'sh', ['-c', apt + packages.join(' ')]))
    const browser = findBrowser(name)
    if (browser !== undefined) return browser
  }
  tried.push(run(name, 'npx', ['playwright', 'install', name]))
  const browser = findBrowser(name)
  if (browser !== undefined) return browser
  throw new Error(
    `${name} is not on this machine and could not be installed.\n${tried.join('\n')}\n` +
      `Install it by hand (Debian: apt-get install ${packages.join(' ')})` +
      (name === 'webkit' ? '.' : `, or say where it is with ${name.toUpperCase()}_PATH.`),
  )
}

/** Runs an installer without its chatter; what it said last is for the error. */
function run(name: BrowserName, command: string, args: readonly string[]): string {
  const line = [command, ...args].join(' ')
  console.log(`${name}: not found, installing: ${line}`)
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 600_000 })
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join('\n')
  return `$ ${line}\n${said}\n(exit code ${status ?? 'none'})`
}

function versionOf(browser: Browser): string {
  // MiniBrowser tells its version only where there is a display.
  const [program, ...args] =
    browser.driver === 'webkitgtk'
      ? (['dpkg-query', '--show', ...debianPackages.webkit.slice(0, 1)] as const)
      : ([browser.path, '--version'] as const)
  const { stdout } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000 })
  return stdout?.trim().split('\n').at(-1) || 'version unknown'
}

function fromEnv(variable: string): string | undefined {
  const path = process.env[variable]
  if (path === undefined || path === '') return undefined
  if (usable(path) === undefined) throw new Error(`${variable} is ${path}, and no program is there`)
  return path
}

function onPath(...programs: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin']
  for (const program of programs) {
    for (const folder of folders) {
      const path = usable(join(folder, program))
      if (path !== undefined) return path
    }
  }
  return undefined
}

function usable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  try {
    ensureBrowsers(wantedBrowsers(process.argv.slice(2)))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
