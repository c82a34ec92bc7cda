import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/doors.ts'
import type { Engine } from '../browser.ts'
import { kept, RESULTS, type Figures } from '../figures.ts'
import { keptSizes } from '../sizes/sizes.ts'
import { workloadNames } from '../workloads.ts'
import { chart } from './chart.ts'
import { sizeTable, speedTable } from './compare.ts'
import { filled } from './filled.ts'
import { page } from './page.ts'
import { missed } from './targets.ts'

export const allKept = (folder: string, engine: Engine): Figures[] =>
  workloadNames.flatMap((name) => kept(folder, engine, name) ?? [])

/**
 * Writes the page of an engine, and a chart for each workload, from what was measured last of each. What Chromium has
 * shown is also filled in where documents tell of it.
 */
export function writeReport(folder: string, engine: Engine): string[] {
  const all = allKept(folder, engine)
  const written: string[] = []
  const write = (path: string, text: string): void => {
    writeFileSync(path, text)
    written.push(path)
  }
  if (all.length > 0) {
    mkdirSync(join(folder, engine), { recursive: true })
    for (const figures of all) write(join(folder, engine, `${figures.workload}.svg`), chart(figures))
    write(
      join(folder, engine === 'chromium' ? 'README.md' : `${engine}.md`),
      `${page(engine, all).join('\n')}\n`,
    )
  }
  if (engine === 'chromium' && folder === RESULTS)
    for (const [name, parts] of Object.entries(partsOf(folder, all)))
      write(join(root, name), filled(readFileSync(join(root, name), 'utf8'), parts))
  return written
}

/** What documents tell of it, by their places. */
export const partsOf = (folder: string, all: readonly Figures[]) => ({
  'docs/compare.md': {
    speed: speedTable(all, 'bench/README.md'),
    sizes: sizeTable(keptSizes(folder)),
  },
  'ARCHITECTURE.md': { missed: missed(all) },
})
