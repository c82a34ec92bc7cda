import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBrowser } from './support/browser.ts'
import { broken, type Proof, type ProofContext } from './support/proof.ts'
import { openSite, type Site } from './support/site.ts'

const DAMAGES = ['flipped bytes', 'zeroes', 'cut in half', 'deleted', 'cut at the end'] as const
const OPTIONS = { name: 'damaged' }

/** The files that the browser keeps its databases in are damaged while it is closed. */
export default {
  promise: 'of damaged files no wrong value is given, and every loss is told',
  rounds: { short: 3, long: 100 },
  on: ['chromium', 'chromium-sqlite'],
  elsewhere: {
    firefox: 'it damages the files of Chromium, byte by byte, as these are known',
    webkit: 'it damages the files of Chromium, byte by byte, as these are known',
  },
  async run(context) {
    const { ground, folder, rounds, say } = context
    const site = await openSite()
    const whole = join(folder, 'whole')
    const sums = { damages: 0, 'all intact': 0, 'lost some': 0, 'lost all': 0, 'would not open': 0 }
    try {
      const browser = await startBrowser(ground, whole)
      const page = await browser.open(site.url)
      await page.evaluate((open) => loads.fillForDamage(open), OPTIONS)
      await page.close()
      await browser.close()
      for (let round = 0; round < rounds; round++) {
        const profile = join(folder, 'damaged')
        rmSync(profile, { recursive: true, force: true })
        cpSync(whole, profile, { recursive: true, verbatimSymlinks: true })
        const what = damage(context, join(profile, 'Default/IndexedDB'), round)
        const found = await look(context, site, profile)
        const { intact, missing, wrong, told } = found
        const codeless = told.some((each) => each.includes('NO CODE'))
        if (wrong.length > 0 || codeless || (missing > 0 && told.length === 0))
          throw broken(`round ${round}, ${what}`, found)
        sums.damages++
        if (told.some((each) => each.startsWith('open '))) sums['would not open']++
        else if (intact === 0) sums['lost all']++
        else if (missing > 0 || told.length > 0) sums['lost some']++
        else sums['all intact']++
        say(
          `${what}: ${intact} intact, ${missing} missing, told ${[...new Set(told)].slice(0, 3).join('; ')}`,
        )
      }
      return sums
    } finally {
      await site.close()
    }
  },
} satisfies Proof

async function look({ ground }: ProofContext, site: Site, profile: string) {
  const browser = await startBrowser(ground, profile)
  try {
    const page = await browser.open(site.url)
    return await page.evaluate((open) => loads.lookClosely(open), OPTIONS)
  } finally {
    await browser.close()
  }
}

/** Mostly the largest file, which holds the data; at times any other. */
function damage({ random }: ProofContext, folder: string, round: number): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/LOG$|LOG\.old$|LOCK$/.test(name))
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ path }) => statSync(path).isFile() && statSync(path).size > 0)
    .sort((a, b) => statSync(b.path).size - statSync(a.path).size)
  const chosen = files[random() < 0.6 ? 0 : Math.floor(random() * files.length)]
  if (!chosen) throw new Error(`there is no file to damage in ${folder}`)
  const { name, path } = chosen
  const kind = DAMAGES[round % DAMAGES.length] ?? 'deleted'
  const { size } = statSync(path)
  if (kind === 'deleted') rmSync(path)
  else if (kind === 'cut in half') truncateSync(path, Math.floor(size / 2))
  else if (kind === 'cut at the end') truncateSync(path, Math.max(0, size - 1000))
  else {
    const bytes = readFileSync(path)
    const at = (): number => Math.floor(random() * size)
    if (kind === 'zeroes') {
      const from = at()
      bytes.fill(0, from, Math.min(size, from + 4096))
    } else {
      for (let i = 0; i < 16; i++) {
        const index = at()
        bytes[index] = (bytes[index] ?? 0) ^ (1 + Math.floor(random() * 255))
      }
    }
    writeFileSync(path, bytes)
  }
  return `${kind} of ${name}`
}
