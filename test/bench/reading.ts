import type { BenchBrowser } from './browser.ts'
import type { Field } from './field.ts'
import { MAIN, PRUNED, SEEDED, type Workload } from './workloads.ts'

/** A page of summaries. */
const PAGE = 50
/** Checkpoints that a prune leaves. */
const KEPT = 20

/** What is read of the thread that was written, by those who wrote it. */
export async function read(field: Field, of: Workload): Promise<void> {
  const thread = mainThread(of)
  const isLong = of.steps >= PAGE && thread === MAIN
  await field.each((page) => page.run('load', { thread, check: true }))
  for (let i = 0; i < of.reads; i++)
    await field.each(async (page, who) => {
      field.add(who, 'again', await page.run('load', { thread }))
      if (field.can(who, 'list')) field.add(who, 'list', await page.run('list'))
      if (isLong && field.can(who, 'page'))
        field.add(who, 'page', await page.run('page', { thread, most: PAGE }))
      if (!of.forks && field.can(who, 'fork'))
        field.add(who, 'fork', await page.run('fork', { thread, as: `head-${i}` }))
    }, 'again')
}

/** What a new page finds once the browser was started anew, and at last a prune. */
export async function afterRestart(field: Field, browser: BenchBrowser, of: Workload): Promise<void> {
  const thread = mainThread(of)
  await field.enter(browser, true, ['memory-saver'])
  await field.each(async (page, who) => {
    field.more(who, 'disk', await page.run('files'))
    await page.close()
  }, 'disk')
  await field.enter(browser, false, ['memory-saver'])
  for (let i = 0; i < of.cold; i++) {
    await field.each(async (page, who) => {
      if (i > 0) await page.renew()
      field.add(who, 'open', await page.run('open'))
      if (field.can(who, 'list')) await page.run('list')
      field.add(who, 'load', await page.run('load', { thread }))
    }, 'load')
  }
  const pruned = of.pruned
    ? Array.from({ length: of.pruned.threads }, (_, i) => `${PRUNED}${i}`)
    : thread === MAIN && of.steps > 2 * KEPT
      ? [MAIN]
      : []
  for (const [i, each] of pruned.entries())
    await field.each(async (page, who) => {
      if (i < (field.prunable.get(who) ?? 1))
        field.add(who, 'prune', await page.run('prune', { thread: each, keep: KEPT }))
    }, 'prune')
}

const mainThread = ({ shape, seeded, steps }: Workload): string =>
  shape === 'token' || (seeded && seeded.threads > steps) ? `${SEEDED}0` : MAIN
