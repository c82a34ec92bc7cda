import type { View } from '../boxes/view.ts'
import type { Op, Step } from '../delta/op.ts'
import type { Trust } from './trust.ts'

/** One comparison of a value with an encoded state: where it is, and what it has found. */
export class Walk {
  readonly view: View
  /** Absent when both sides are JSON of ours: then the same object is the same value. */
  readonly trust: Trust | undefined
  readonly ops: Op[] = []
  /** The steps to here; those from `depth` on are left over. A path is copied only into an operation. */
  readonly steps: Step[] = []
  /** The container at each depth, to name a place in the caller's terms when something is refused. */
  readonly trail: unknown[] = []
  depth = 0
  /** Whether the value walked last can never change: told upwards instead of looked for downwards. */
  frozen = false
  /** How much was compared, and how much of it for nothing. See `same`. */
  compared = 0
  wasted = 0

  constructor(view: View, trust?: Trust) {
    this.view = view
    this.trust = trust
  }

  path(...more: Step[]): Step[] {
    return [...this.steps.slice(0, this.depth), ...more]
  }
}
