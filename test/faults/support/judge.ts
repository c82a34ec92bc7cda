import type { Findings } from '../page/loads.ts'
import { broken } from './proof.ts'

/** What was acknowledged must be there, or, where saves are written behind, what is not must be the end and be told. */
export function judge(when: string, found: Findings, durability: 'sync' | 'async'): void {
  const short = {
    ...found,
    lost: found.lost.length,
    missing: found.missing.slice(0, 10),
    wrong: found.wrong.slice(0, 10),
    problems: found.problems.slice(0, 10),
  }
  if (found.wrong.length + found.middle.length > 0) throw broken(when, short)
  const isTold = found.warnings.some((warning) => warning.startsWith('DATA_LOSS'))
  if (found.missing.length > 0 && (durability === 'sync' || !isTold)) throw broken(when, short)
  // What a loss has left is whole; that there was one is kept until it is acknowledged.
  if (found.problems.some((problem) => !problem.includes('"kind":"loss"'))) throw broken(when, short)
}
