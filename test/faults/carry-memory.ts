import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openCheckpointer } from '../../src/index.ts'
import { filesStorage } from '../../src/storage/files.ts'
import { startBrowser } from './support/browser.ts'
import { carryMuch, fillMuch, takeMuch, type Tell } from './support/much.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { openSite } from './support/site.ts'

const MB = 1_000_000
/** What is in use at any moment, above what was before: a few pieces and rows, whatever the file weighs. */
const MOST_IN_USE = 16 * MB
/** In a page it is looked at at any moment, and not between two pieces; so what counts is the middle of the last fifth. */
const MOST_IN_PAGE = 24 * MB
/** With what the engine has not collected yet. */
const MOST_RESIDENT = 256 * MB
/** It is looked so often. */
const LOOK_EVERY = 4 * MB

/** A round is a megabyte of a store. */
export default {
  promise: 'an export and an import take as little memory of a large store as of a small one',
  rounds: { short: 48, long: 500 },
  on: ['node', 'chromium'],
  isTimed: true,
  elsewhere: {
    'chromium-sqlite': 'what the page takes does not depend on where its rows are kept',
    firefox: 'only the DevTools protocol tells the memory of a page',
    webkit: 'only the DevTools protocol tells the memory of a page',
  },
  shortElsewhere: { rounds: 48, on: ['chromium'] },
  run: (context) => (context.ground === 'node' ? onNode(context) : inPage(context)),
} satisfies Proof

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is in use once all garbage is gone, which takes a turn of its own; buffers count as outside of the heap. */
async function inUse(): Promise<number> {
  collect()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function onNode({ folder, rounds, say }: ProofContext): Promise<Figures> {
  const open = (name: string) => openCheckpointer({ name, storage: filesStorage(fs, join(folder, name)) })
  const filling = await open('one')
  const saves = await fillMuch(filling, rounds)
  // What it remembers of what it has saved is not to be counted.
  await filling.close()
  const [one, two] = [await open('one'), await open('two')]
  const figures: Record<string, number> = { 'MB stored': rounds, checkpoints: saves }
  const works: Record<string, (tell: Tell) => Promise<number>> = {
    export: (tell) => takeMuch(one, false, tell),
    'packed export': (tell) => takeMuch(one, true, tell),
    import: async (tell) => {
      const brought = await carryMuch(one, two, tell)
      if (brought < saves) throw broken('not all was imported', { brought, saves })
      return brought
    },
  }
  for (const [name, work] of Object.entries(works)) {
    const before = { used: await inUse(), resident: process.memoryUsage().rss }
    const most = { used: 0, resident: 0 }
    let next = LOOK_EVERY
    await work(async (bytes) => {
      most.resident = Math.max(most.resident, process.memoryUsage().rss - before.resident)
      if (bytes < next) return
      next = bytes + LOOK_EVERY
      most.used = Math.max(most.used, (await inUse()) - before.used)
    })
    figures[`${name}, MB in use`] = most.used / MB
    figures[`${name}, MB resident`] = most.resident / MB
    say(`${name}: ${(most.used / MB).toFixed(1)} MB in use, ${(most.resident / MB).toFixed(1)} MB resident`)
    if (most.used > MOST_IN_USE || most.resident > MOST_RESIDENT)
      throw broken(`${name} takes much memory`, figures)
  }
  await one.close()
  await two.close()
  return figures
}

/** What is in use in the page after its garbage was collected, time after time. */
async function inPage({ ground, folder, rounds }: ProofContext): Promise<Figures> {
  const site = await openSite()
  const browser = await startBrowser(ground, join(folder, 'profile'))
  try {
    const page = await browser.open(site.url)
    const session = await page.context().newCDPSession(page)
    const used = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage')
      const usage = (await session.send('Runtime.getHeapUsage')) as {
        usedSize: number
        embedderHeapUsedSize?: number
        backingStorageSize?: number
      }
      return usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0)
    }
    const saves = await page.evaluate((megabytes) => loads.fillPage('much', megabytes), rounds)
    const before = await used()
    let isOver = false
    const carrying = page.evaluate(() => loads.carryPage()).finally(() => (isOver = true))
    carrying.catch(() => {})
    const looks: number[] = []
    while (!isOver) {
      looks.push((await used()) - before)
      await sleep(20)
    }
    const brought = await carrying
    const last = looks.slice(-Math.ceil(looks.length / 5)).sort((one, other) => one - other)
    const inTheEnd = last[last.length >> 1] ?? 0
    const figures = {
      'MB stored': rounds,
      checkpoints: saves,
      looks: looks.length,
      'MB in use in the page, at most': Math.max(...looks) / MB,
      'in the end': inTheEnd / MB,
    }
    if (brought < saves) throw broken('not all was imported', { brought, saves })
    if (inTheEnd > MOST_IN_PAGE) throw broken('an export into an import takes much memory', figures)
    return figures
  } finally {
    await browser.close()
    await site.close()
  }
}
