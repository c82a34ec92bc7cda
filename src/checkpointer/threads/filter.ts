import type { Source } from '../../checkpoint.ts'
import type { HistoryWhere } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import { checkOptions, invalid, type Names } from '../options/options.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { storedExtra } from '../states/fields.ts'

export interface HistoryFilter {
  readonly runId?: string | undefined
  readonly node?: string | undefined
  readonly source?: Source | undefined
  readonly label?: string | undefined
  readonly step?: number | undefined
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
