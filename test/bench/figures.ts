import { mkdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/doors.ts'
import type { Engine } from './browser.ts'
import type { ContenderName, Measure } from './contenders.ts'
import { versions } from './install.ts'
import type { Spread } from './statistics.ts'
import type { WorkloadName } from './workloads.ts'

/** What was measured of one workload: what the tables and charts are made of, and all that is kept of a run. */
export interface Figures {
  readonly workload: WorkloadName
  readonly around: Around
  readonly contenders: Partial<Record<ContenderName, ContenderFigures>>
  /** Of saves at 400 and at 4,000 messages, frozen: of forkpoint alone. */
  readonly growth?: { readonly short: Spread; readonly long: Spread }
}

export interface ContenderFigures {
  /** Milliseconds, or bytes. */
  readonly measures: Partial<Record<Measure, Spread>>
  /** Where it took longer than it was given. */
  readonly stopped?: readonly Stopped[]
  /** What it failed with, from which on nothing more was measured of it. */
  readonly failed?: string
}

/** How far somebody came. */
export interface Stopped {
  readonly at: number
  readonly of: number
  readonly what: 'steps' | 'threads' | 'forks' | 'answers'
}

export interface Around {
  readonly day: string
  readonly browser: string
  readonly machine: string
  readonly node: string
  readonly versions: Record<string, string>
  /** What the machine had to do beside it, at the beginning: processes that wanted a processor. */
  readonly load: number
}

export function around(browser: string, load: number): Around {
  const [cpu] = cpus()
  return {
    day: new Date().toISOString().slice(0, 10),
    browser,
    machine: `${cpus().length} × ${cpu?.model.trim() || 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
    node: process.version,
    versions: versions(),
    load: Math.round(load * 10) / 10,
  }
}

/** Where results are kept. */
export const RESULTS = join(root, 'docs/bench')

const file = (folder: string, engine: Engine, name: WorkloadName): string =>
  join(folder, engine, `${name}.json`)

export function keep(folder: string, engine: Engine, figures: Figures): void {
  mkdirSync(join(folder, engine), { recursive: true })
  writeFileSync(file(folder, engine, figures.workload), `${JSON.stringify(figures, null, 2)}\n`)
}

export function kept(folder: string, engine: Engine, name: WorkloadName): Figures | undefined {
  const path = file(folder, engine, name)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Figures) : undefined
}
