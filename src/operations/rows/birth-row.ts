import { birthKey } from '../../storage/keys.ts'
import type { Put, Row } from '../../storage/storage.ts'
import type { Place } from '../host.ts'
import { isForkPoint } from '../shapes/checkpoints.ts'
import { holds, isId, isNamespace, isShort, isTime } from '../shapes/shape.ts'
import { leadTo, type Segment } from './lanes.ts'
import { seal, unsealAs } from './seal.ts'
import type { ThreadFacts } from './thread-row.ts'

/**
 * Whose lane this is, and what the thread showed when it was made: written once, beside the thread's row. By it it is known
 * that a thread's row is missing or cannot be read, and which lane was its own; `repair` makes the row again.
 */
export interface BirthFacts extends Place, Pick<ThreadFacts, 'createdAt' | 'label' | 'forkOf'> {
  /** Absent when the thread began with its own lane alone. */
  readonly segments?: readonly Segment[]
}

export function birthPut(partition: string, facts: ThreadFacts): Put {
  const { thread, namespace, createdAt, segments, label, forkOf } = facts
  const key = birthKey(facts.lane)
  const born: BirthFacts = {
    thread,
    namespace,
    createdAt,
    ...(segments.length > 1 ? { segments } : {}),
    ...(label === undefined ? {} : { label }),
    ...(forkOf ? { forkOf } : {}),
  }
  return { table: 'meta', key, head: seal(partition, 'meta', key, born) }
}

export interface Birth {
  readonly lane: string
  readonly facts: BirthFacts
  readonly row: Row
}

const areFacts = holds<BirthFacts>(
  {
    thread: isId,
    namespace: isNamespace,
    createdAt: isTime,
    segments: Array.isArray,
    label: isShort,
    forkOf: isForkPoint,
  },
  ['segments', 'label', 'forkOf'],
)

export function openBirth(partition: string, row: Row): Birth {
  const lane = row.key[1] as string
  const isOfThis = (facts: unknown): facts is BirthFacts =>
    areFacts(facts) && (facts.segments === undefined || leadTo(facts.segments, lane))
  return { lane, facts: unsealAs(partition, 'meta', row, isOfThis), row }
}
