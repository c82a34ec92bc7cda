import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { chromium, type BrowserContext } from 'playwright-core'
import type { Ground } from './proof.ts'

/** The folder of a site, where LevelDB has it. */
const LEVELDB = '.indexeddb.leveldb'

const checked = new Map<string, Promise<void>>()

/**
 * Fails unless Chromium, started like this, keeps IndexedDB in the store that the ground is named for: a flag that was
 * renamed does nothing, without a word. Looked at once in a profile of its own, as a database more in the profile of a
 * proof would be one more log to tear, and one more scrub.
 */
export function checkStore(ground: Ground, executablePath: string, args: readonly string[]): Promise<void> {
  const key = [ground, ...args].join(' ')
  const known = checked.get(key) ?? look(ground, executablePath, [...args])
  checked.set(key, known)
  return known
}

async function look(ground: Ground, executablePath: string, args: string[]): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'forkpoint-store-'))
  try {
    const context = await chromium.launchPersistentContext(profile, { executablePath, args })
    try {
      await makeDatabase(context)
    } finally {
      await context.close()
    }
    const files = filesIn(join(profile, 'Default', 'IndexedDB'))
    const found = storeOf(files)
    const wanted = ground === 'chromium-sqlite' ? 'SQLite' : 'LevelDB'
    if (found !== wanted)
      throw new Error(
        `${ground} must keep IndexedDB in ${wanted}; it keeps it in ${found ?? 'nothing that is known'}: ${files.join(' ')}`,
      )
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** Its files are there as soon as it is open. */
async function makeDatabase(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  // A page with an origin, of which nothing is asked over the network.
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto('http://127.0.0.1/')
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('looked at')
        request.onsuccess = () => resolve()
        request.onerror = () => reject(request.error ?? new Error('no database was opened'))
      }),
  )
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

function storeOf(files: readonly string[]): 'LevelDB' | 'SQLite' | undefined {
  if (files.some((name) => name.endsWith(LEVELDB))) return 'LevelDB'
  // A folder for the site, and in it a file for each database.
  return files.some((name) => name.includes(sep)) ? 'SQLite' : undefined
}
