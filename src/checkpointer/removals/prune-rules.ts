import { CheckpointerError } from '../../errors.ts'
import type { Place, PruneRequest } from '../../operations/host.ts'
import { checkLongRemoval, type LongRemoval } from './removals.ts'
import { checkFlag, checkOptions, invalid, timeOf, type Names } from '../options/options.ts'

/** Which checkpoints to remove. At least one rule that lets something go is needed; the head and the last of the latest run always stay. */
export interface PruneOptions extends LongRemoval {
  /** Keep this many of the newest. */
  readonly keepLast?: number | undefined
  /** Remove only what is older: than this many milliseconds, or than a date. With `keepLast`, both must agree. */
  readonly olderThan?: number | Date | undefined
  /** Keep each whose seq is a multiple of this. */
  readonly keepEvery?: number | undefined
  /** Keep those that somebody has labelled; not when absent. `fork-of:…`, which a fork gets by itself, does not count. */
  readonly keepLabelled?: boolean | undefined
  /** `keep`: also what the kept ones continue. `drop` (default): only the kept ones. */
  readonly ancestors?: 'keep' | 'drop' | undefined
  /** `keep`: also the tip of each branch. `drop`: remove all that the head does not continue. */
  readonly branches?: 'keep' | 'drop' | undefined
  /** Then remove the oldest until the rest weighs no more than this. */
  readonly maxBytes?: number | undefined
  /** Only tell what would go. */
  readonly dryRun?: boolean | undefined
}

const PRUNE: Names<PruneOptions> = {
  keepLast: true,
  olderThan: true,
  keepEvery: true,
  keepLabelled: true,
  ancestors: true,
  branches: true,
  maxBytes: true,
  dryRun: true,
  signal: true,
  onProgress: true,
}

/** As good as without end, which some wires cannot say. */
const MOST = 2 ** 50

export function pruneRequest(
  place: Place,
  options: PruneOptions,
): { readonly request: PruneRequest; readonly removal: LongRemoval } {
  const {
    keepLast,
    olderThan,
    keepEvery,
    keepLabelled,
    ancestors = 'drop',
    branches,
    maxBytes,
    dryRun = false,
    ...removal
  } = checkOptions('prune', options, PRUNE)
  const counts = {
    ...(keepLast === undefined ? {} : { keepLast: countOf('keepLast', keepLast, 0) }),
    ...(keepEvery === undefined ? {} : { keepEvery: countOf('keepEvery', keepEvery, 1) }),
    ...(maxBytes === undefined ? {} : { maxBytes: bytesOf('maxBytes', maxBytes) }),
  }
  checkFlag('keepLabelled', keepLabelled)
  checkFlag('dryRun', dryRun)
  checkLongRemoval(removal)
  if (!['keep', 'drop'].includes(ancestors)) throw invalid('ancestors', "'keep' or 'drop'")
  if (branches !== undefined && !['keep', 'drop'].includes(branches))
    throw invalid('branches', "'keep' or 'drop'")
  const before = olderThan === undefined ? undefined : instant(olderThan)
  if (Object.keys(counts).length === 0 && before === undefined && branches !== 'drop') {
    throw new CheckpointerError(
      'INVALID',
      "prune needs to know what may go: keepLast, olderThan, keepEvery, maxBytes, or branches: 'drop'.",
    )
  }
  const request = {
    thread: place.thread,
    namespace: place.namespace,
    ...counts,
    ...(before === undefined ? {} : { olderThan: before }),
    ...(keepLabelled === undefined ? {} : { keepLabelled }),
    ...(branches === undefined ? {} : { branches }),
    ancestors,
    dryRun,
  }
  return { request, removal }
}

export function bytesOf(name: string, bytes: number): number {
  if (!(typeof bytes === 'number' && bytes >= 0)) throw invalid(name, 'a number of bytes')
  return Math.min(bytes, MOST)
}

export function countOf(name: string, value: number, least: number): number {
  if (!Number.isSafeInteger(value) || value < least) throw invalid(name, `a whole number from ${least}`)
  return Math.min(value, MOST)
}

function instant(olderThan: number | Date): number {
  const at = typeof olderThan === 'number' ? Date.now() - olderThan : timeOf(olderThan)
  if (!Number.isFinite(at) || (typeof olderThan === 'number' && olderThan < 0))
    throw invalid('olderThan', 'an age in milliseconds, or a date')
  return at
}
