import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { broken, type Ground, type Proof } from './support/proof.ts'
import { openSite } from './support/site.ts'
import { startAnyBrowser } from './support/webkit.ts'

const NAME = 'wiped'

/** The browser is closed, the files of its databases are deleted, and it is started again. */
export default {
  promise: 'a browser that has lost its databases says which threads it had, and how far each had come',
  rounds: { short: 2, long: 10 },
  on: ['chromium', 'chromium-sqlite', 'firefox', 'webkit'],
  async run({ ground, folder, random, rounds }) {
    const site = await openSite()
    const sums = { wiped: 0, 'of a service worker': 0, threads: 0, told: 0 }
    try {
      for (let round = 0; round < rounds; round++) {
        const profile = join(folder, `profile ${round}`)
        const steps = Object.fromEntries(
          Array.from({ length: 1 + Math.floor(random() * 5) }, (_, i) => [
            `t ${i}`,
            1 + Math.floor(random() * 9),
          ]),
        )
        const before = await startAnyBrowser(ground, profile)
        const page = await before.open(site.url)
        // Where modules can be service workers, every second time in one.
        const inService = round % 2 === 1 && ground.startsWith('chromium')
        await page.evaluate(
          ([name, made, service]) => (service ? loads.keepInServiceWorker : loads.keep)(name, made),
          [NAME, steps, inService] as const,
        )
        await before.close()
        const deleted = deleteDatabases(ground, profile)
        if (deleted === 0) throw broken('found no files to delete', { round, ground })
        sums.wiped++
        if (inService) sums['of a service worker']++
        sums.threads += Object.keys(steps).length

        const after = await startAnyBrowser(ground, profile)
        try {
          const look = async () =>
            (await after.open(site.url)).evaluate(
              ([name, service]) => (service ? loads.missingInServiceWorker : loads.missing)(name),
              [NAME, inService] as const,
            )
          const found = await look()
          const [heads, ...others] = found.told
          const told = Object.fromEntries((heads ?? []).map(({ thread, expected }) => [thread, expected]))
          const sorted = (from: object): string => JSON.stringify(from, Object.keys(from).sort())
          if (others.length > 0 || found.reported !== 1 || sorted(told) !== sorted(steps))
            throw broken(`round ${round}`, { steps, found })
          sums.told += heads?.length ?? 0
          const again = await look()
          if (again.told.length > 0) throw broken('told again', { round, again })
        } finally {
          await after.close()
        }
      }
      return sums
    } finally {
      await site.close()
    }
  },
} satisfies Proof

/** Of IndexedDB alone: what else the browser keeps for a site stays. */
function deleteDatabases(ground: Ground, profile: string): number {
  const folders = foldersOf(ground, profile)
  const found = folders.filter((each) => existsSync(each) && readdirSync(each).length > 0)
  for (const each of found) rmSync(each, { recursive: true })
  return found.length
}

function foldersOf(ground: Ground, profile: string): string[] {
  if (ground === 'webkit') return [join(profile, 'data', 'webkitgtk-4.1', 'MiniBrowser', 'databases')]
  if (ground !== 'firefox') return [join(profile, 'Default', 'IndexedDB')]
  const origins = join(profile, 'storage', 'default')
  return readdirSync(origins).map((origin) => join(origins, origin, 'idb'))
}
