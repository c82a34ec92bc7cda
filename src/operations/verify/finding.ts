import type { Problem } from '../../checkpoint.ts'
import type { Key, Row } from '../../storage/storage.ts'

/** A problem, with what its mending has to know. */
export interface Finding extends Problem {
  readonly partition: string
  /** The row that is wrong, or what is left of it. */
  readonly row?: Row
  /** Where rows are missing. */
  readonly gap?: { readonly lane: string; readonly from: number; readonly to: number }
  /** It was left over: by a writer that died, or by a removal. */
  readonly isLeftOver?: true
}

/** What one step of `verify` has seen. */
export interface Found {
  readonly checked: number
  readonly findings: readonly Finding[]
  /** Where the next step in this table begins; absent when there is no more. */
  readonly last?: Key
}

/** As much as is to be told. */
export function problemOf({ kind, table, thread, namespace, seq, problem }: Finding): Problem {
  return {
    kind,
    table,
    ...(thread === undefined ? {} : { thread }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(seq === undefined ? {} : { seq }),
    problem,
  }
}

/** The same finding, when it is found again. */
export const identityOf = ({ kind, table, thread, namespace, seq, row, gap }: Finding): string =>
  JSON.stringify([kind, table, thread, namespace, seq, row?.key, row?.version, gap])
