import { CheckpointerError } from '../errors.ts'
import { Refusal, TooDeep } from './boxes/refusal.ts'
import { TypeTable } from './boxes/type-table.ts'
import { viewOf } from './boxes/view.ts'
import type { View } from './boxes/view.ts'
import { findCycles } from './capture/cycles.ts'
import { encode } from './capture/encode.ts'
import { withGraphs } from './capture/graph.ts'
import { readable } from './capture/readable.ts'
import { Trust } from './capture/trust.ts'
import { Walk } from './capture/walk.ts'
import { decode } from './decode/decode.ts'
import type { Delta } from './delta/op.ts'
import { MAX_DEPTH, pathText } from './json.ts'
import type { Json } from './json.ts'
import { merge } from './merge/merge.ts'
import { decodeInSlices } from './slices/decode.ts'
import type { Pause } from './slices/pause.ts'
import type { TypeRegistration } from './types.ts'

interface Captured {
  /** Shares with `previous` every subtree that has not changed, and nothing with the caller's value. */
  readonly state: Json
  /** Present if `previous` was given: what turns it into `state`; empty when they are the same object. */
  readonly delta?: Delta
}

/** Between the caller's values and plain JSON. */
export interface Codec {
  /**
   * The value as it is now, encoded; `previous` is what an earlier capture or `fold` gave.
   * Throws `INVALID`, with the path, for what could not come back exactly.
   */
  capture(live: unknown, previous?: Json): Captured
  /** A fresh value, sharing nothing with `state`. Throws `CORRUPT`, or `INVALID` for an unknown type. */
  decode(state: Json): unknown
  /** The same, with pauses: for states so large that a page would feel it. */
  decodeInSlices(state: Json, pause: Pause): Promise<unknown>
}

export function createCodec(types: readonly TypeRegistration[] = []): Codec {
  const table = new TypeTable(types)
  const view = viewOf(table)
  const trust = new Trust()

  function attempt(view: View, live: unknown, previous: Json | undefined): Captured | TooDeep {
    const walk = new Walk(view, trust)
    try {
      if (previous === undefined) return { state: encode(walk, live) }
      return { state: merge(walk, live, previous), delta: walk.ops }
    } catch (thrown) {
      const path = pathText(readable(walk))
      if (thrown instanceof TooDeep) return Object.assign(thrown, { message: path })
      if (thrown instanceof Refusal)
        throw new CheckpointerError('INVALID', `${thrown.message} (at ${path})`, { path })
      throw new CheckpointerError('INVALID', `reading the state failed at ${path}`, { path, cause: thrown })
    }
  }

  return {
    capture(live, previous) {
      let captured = attempt(view, live, previous)
      if (captured instanceof TooDeep) {
        const cycles = findCycles(view, live)
        if (cycles.size > 0) captured = attempt(withGraphs(view, cycles), live, previous)
      }
      if (!(captured instanceof TooDeep)) return captured
      const path = captured.message
      const message = `containers nest deeper than ${MAX_DEPTH}: flatten the state, or keep references by id`
      throw new CheckpointerError('INVALID', message, { path })
    },
    decode: (state) => decode(state, table),
    decodeInSlices: (state, pause) => decodeInSlices(state, table, pause),
  }
}
