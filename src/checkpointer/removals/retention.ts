import type { RetentionRules, StoreRetention } from '../../operations/host.ts'
import { checkFlag, checkOptions, invalid, type Names } from '../options/options.ts'
import { bytesOf, countOf } from './prune-rules.ts'

/**
 * What a thread lets go by itself, after enough has been saved to it or, by `olderThan`, as time passes; the head and the last of the
 * latest run always stay. As with `prune`, a checkpoint goes when no rule holds it.
 */
export interface ThreadRetention {
  /** Keep this many of the newest. */
  readonly keepLast?: number | undefined
  /** Let go only what is older than this many milliseconds. */
  readonly olderThan?: number | undefined
  /** Keep each whose seq is a multiple of this. */
  readonly keepEvery?: number | undefined
  /** Keep those that somebody has labelled, as is done unless this is `false`. `fork-of:…`, which a fork gets by itself, does not count. */
  readonly keepLabelled?: boolean | undefined
}

/** What is let go by itself, of every thread that does not say otherwise. */
export interface RetentionPolicy extends ThreadRetention {
  /** All threads together may weigh this much. */
  readonly maxBytes?: number | undefined
}

const RULES: Names<ThreadRetention> = {
  keepLast: true,
  olderThan: true,
  keepEvery: true,
  keepLabelled: true,
}
const POLICY: Names<RetentionPolicy> = { ...RULES, maxBytes: true }

export function storedPolicy(policy: RetentionPolicy | false): StoreRetention | undefined {
  if (policy === false) return undefined
  const { maxBytes, ...rules } = checkOptions('retention', policy, POLICY, 'retention')
  if (maxBytes === undefined) return storedRules(rules)
  const most = bytesOf('retention.maxBytes', maxBytes)
  return { ...checked(rules), maxBytes: most }
}

export function storedThreadRules(rules: ThreadRetention | false): RetentionRules | false {
  return rules === false ? false : storedRules(checkOptions('retention', rules, RULES, 'retention'))
}

function storedRules(rules: ThreadRetention): RetentionRules {
  const { keepLast, olderThan, keepEvery } = rules
  if (keepLast === undefined && olderThan === undefined && keepEvery === undefined)
    throw invalid('retention', 'false, or rules that let something go: keepLast, olderThan or keepEvery')
  return checked(rules)
}

function checked({ keepLast, olderThan, keepEvery, keepLabelled }: ThreadRetention): RetentionRules {
  if (olderThan !== undefined && !(Number.isFinite(olderThan) && olderThan >= 0))
    throw invalid('retention.olderThan', 'an age in milliseconds')
  checkFlag('retention.keepLabelled', keepLabelled)
  return {
    ...(keepLast === undefined ? {} : { keepLast: countOf('retention.keepLast', keepLast, 0) }),
    ...(olderThan === undefined ? {} : { olderThan }),
    ...(keepEvery === undefined ? {} : { keepEvery: countOf('retention.keepEvery', keepEvery, 1) }),
    keepLabelled: keepLabelled ?? true,
  }
}
