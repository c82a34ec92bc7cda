import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { BenchBrowser, type Engine } from './browser.ts'
import type { ContenderName } from './contenders.ts'
import { databasesOnDisk } from './disk.ts'
import { Field } from './field.ts'
import { around, type Figures } from './figures.ts'
import { afterRestart, read } from './reading.ts'
import { BLOCK, grow, write } from './writing.ts'
import { workload, type Workload, type WorkloadName } from './workloads.ts'

export interface Running {
  readonly engine: Engine
  readonly port: number
  /** A share of the steps, to see whether it works. */
  readonly scale: number
  readonly among: readonly ContenderName[]
  readonly say: (what: string) => void
}

/** Runs one workload with everyone, in a browser and a profile of its own. */
export async function runWorkload(name: WorkloadName, running: Running): Promise<Figures> {
  const { engine, port, scale, among, say } = running
  const of = scaled(workload(name), scale)
  const profile = mkdtempSync(join(tmpdir(), 'forkpoint-bench-'))
  const load = loadavg()[0] ?? 0
  const field = new Field(name, among, say)
  try {
    const first = await BenchBrowser.launch(engine, profile, port)
    say(`${name}: writing`)
    await field.enter(first, false)
    await field.each((page) => page.run('open'))
    await write(field, of)
    say(`${name}: reading`)
    await read(field, of)
    await field.each(async (page, who) => {
      const bytes = await page.run('memory')
      if (bytes !== undefined) field.add(who, 'memory', bytes)
    }, 'memory')
    await field.each((page) => page.run('close'))
    await first.close()
    say(`${name}: after a restart`)
    for (const who of field.names)
      if (field.can(who, 'disk')) field.add(who, 'disk', databasesOnDisk(engine, profile, who))
    const second = await BenchBrowser.launch(engine, profile, port)
    await afterRestart(field, second, of)
    const growth = name === 'chat' ? await grow(field, scale) : undefined
    await field.each((page) => page.run('close'))
    const { version } = second
    await second.close()
    return {
      workload: name,
      around: around(`${engine} ${version}`, load),
      contenders: field.figures(),
      ...(growth ? { growth } : {}),
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

function scaled(of: Workload, scale: number): Workload {
  if (scale === 1) return of
  const some = (count: number): number => Math.max(2, Math.ceil(count * scale))
  return {
    ...of,
    steps: Math.max(BLOCK * 2, some(of.steps)),
    cold: Math.min(of.cold, 2),
    reads: Math.min(of.reads, 3),
    ...(of.answers ? { answers: some(of.answers) } : {}),
    ...(of.seeded
      ? { seeded: { ...of.seeded, threads: of.seeded.threads === 1 ? 1 : some(of.seeded.threads) } }
      : {}),
    ...(of.forks ? { forks: { ...of.forks, at: 10, count: some(of.forks.count) } } : {}),
    ...(of.pruned ? { pruned: { threads: 2, steps: some(of.pruned.steps) } } : {}),
  }
}
