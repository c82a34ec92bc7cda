import type { Source } from '../../checkpoint.ts'
import type { HistoryWhere } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import { checkOptions, invalid, type Names } from '../options/options.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { storedExtra } from '../states/fields.ts'

/** What a checkpoint's own words must be; each that is given must fit. */
export interface HistoryFilter {
  /** The run that saved it. */
  readonly runId?: string | undefined
  /** The node that had just run. */
  readonly node?: string | undefined
  /** Where it came from. */
  readonly source?: Source | undefined
  /** The name it was given. */
  readonly label?: string | undefined
  /** The step's number, by the caller's own count. */
  readonly step?: number | undefined
  /** The workflow that it belongs to. */
  readonly workflow?: string | undefined
  /** Values that `extra` must have at these names. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

const FILTER: Names<HistoryFilter> = {
  runId: true,
  node: true,
  source: true,
  label: true,
  step: true,
  workflow: true,
  extra: true,
}

/** What a history is filtered by, as it is stored. */
export function storedFilter(given: HistoryFilter, codec: Codec): HistoryWhere {
  const { extra, ...fields } = checkOptions('where', given, FILTER, 'where')
  const { step, ...texts } = fields
  for (const [name, value] of Object.entries(texts))
    if (value !== undefined && typeof (value as unknown) !== 'string')
      throw invalid(`where.${name}`, 'a string')
  if (step !== undefined && !Number.isFinite(step)) throw invalid('where.step', 'a finite number')
  return {
    ...withoutUndefined(fields),
    ...(extra === undefined ? {} : { extra: storedExtra('where.extra', extra, codec) }),
  }
}
