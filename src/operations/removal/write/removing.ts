import type { Family } from '../../store/family.ts'
import type { Store } from '../../store/store.ts'
import type { Outcome, RemovalPlan } from '../plan.ts'
import type { LaneRows } from '../read/lane-rows.ts'

/** A removal that is about to be written. */
export interface Removing {
  readonly store: Store
  readonly family: Family
  readonly rows: LaneRows
  readonly plan: RemovalPlan
  readonly outcome: Outcome
}
