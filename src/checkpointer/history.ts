import type { CheckpointInfo, Snapshot, Source } from '../checkpoint.ts'
import type { Host, HistoryRequest, HistoryWhere, Place, StoredInfo } from '../operations/host.ts'
import type { Codec } from '../state/codec.ts'
import type { Json } from '../state/json.ts'
import { checkRef, invalid, storedExtra } from './fields.ts'
import { unfold } from './unfold.ts'

export interface HistoryOptions {
  /** The most to give. All when absent. */
  readonly limit?: number
  /** Only what came before this one, by seq or id. */
  readonly before?: number | string
  /** Only what came after this one, by seq or id. */
  readonly after?: number | string
  readonly order?: 'newest' | 'oldest'
  /** Only what fits all of these. */
  readonly where?: HistoryFilter
  /** With their states. */
  readonly states?: boolean
  readonly signal?: AbortSignal
}

export interface HistoryFilter {
  readonly runId?: string
  readonly node?: string
  readonly source?: Source
  readonly label?: string
  readonly step?: number
  readonly workflow?: string
  /** Values that `extra` must have at these names. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Pages are this large; with states smaller, since those may be large themselves. */
const PAGE = 100
const PAGE_WITH_STATES = 20

interface Reader {
  readonly host: Host
  readonly codec: Codec
  readonly place: Place
  readonly toInfo: (info: StoredInfo) => CheckpointInfo
}

export async function* pages(
  { host, codec, place, toInfo }: Reader,
  options: HistoryOptions,
): AsyncGenerator<CheckpointInfo | Snapshot> {
  const { limit = Number.POSITIVE_INFINITY, order = 'newest', states = false, signal } = options
  if (limit !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(limit) || limit < 0))
    throw invalid('limit', 'a whole number from 0')
  if (order !== 'newest' && order !== 'oldest') throw invalid('order', "'newest' or 'oldest'")
  if (options.before !== undefined) checkRef('before', options.before)
  if (options.after !== undefined) checkRef('after', options.after)
  let request: HistoryRequest = {
    ...place,
    limit: 0,
    order,
    states,
    ...(options.before === undefined ? {} : { before: options.before }),
    ...(options.after === undefined ? {} : { after: options.after }),
    ...(options.where ? { where: storedFilter(options.where, codec) } : {}),
  }
  for (let left = limit; left > 0;) {
    signal?.throwIfAborted()
    const page = await host.history({ ...request, limit: Math.min(left, states ? PAGE_WITH_STATES : PAGE) })
    const found = page.frames ? unfold(page.frames) : undefined
    for (const item of page.items) {
      signal?.throwIfAborted()
      const info = toInfo(item)
      yield found ? { ...info, state: codec.decode(found.get(item.seq) as Json) } : info
    }
    left -= page.items.length
    if (page.next === undefined) return
    request =
      order === 'newest' ? { ...request, before: page.next + 1 } : { ...request, after: page.next - 1 }
  }
}

function storedFilter({ extra, ...fields }: HistoryFilter, codec: Codec): HistoryWhere {
  return extra === undefined ? fields : { ...fields, extra: storedExtra(extra, codec) }
}
