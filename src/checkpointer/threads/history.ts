import type { CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import type { Host, HistoryRequest, Place } from '../../operations/host.ts'
import type { Codec } from '../../state/codec.ts'
import type { Json } from '../../state/json.ts'
import { storedFilter, type HistoryFilter } from './filter.ts'
import { checkFlag, checkLimit, checkRef, checkSignal, invalid, type Names } from '../options/options.ts'
import { pauses } from '../../state/slices/pause.ts'
import { toInfo } from '../states/fields.ts'
import { unfold } from '../states/unfold.ts'
import { untilAborted } from '../until-aborted.ts'

/** Which checkpoints a history gives, and in which order. */
export interface HistoryOptions {
  /** The most to give. All when absent. */
  readonly limit?: number | undefined
  /** Only what came before this one, by seq or id. */
  readonly before?: number | string | undefined
  /** Only what came after this one, by seq or id. */
  readonly after?: number | string | undefined
  /** `newest` first when absent. */
  readonly order?: 'newest' | 'oldest' | undefined
  /** Only what fits all of these. */
  readonly where?: HistoryFilter | undefined
  /** With their states. */
  readonly states?: boolean | undefined
  /** Stops it: the loop rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export const HISTORY: Names<HistoryOptions> = {
  limit: true,
  before: true,
  after: true,
  order: true,
  where: true,
  states: true,
  signal: true,
}

/** Pages are this large; with states smaller, since those may be large themselves. */
const PAGE = 100
const PAGE_WITH_STATES = 20

interface Reader {
  readonly host: Pick<Host, 'history'>
  readonly codec: Codec
  readonly place: Place
  /** What the caller's seq or id is to the store. */
  readonly named: (ref: number | string) => number | string
}

/** Checks at the call, so that what is wrong is told there, and not where the loop begins. */
export function pages(reader: Reader, options: HistoryOptions): AsyncGenerator<CheckpointInfo | Snapshot> {
  const { limit, order = 'newest', states, signal, where } = options
  checkLimit(limit)
  checkFlag('states', states)
  checkSignal(signal)
  if (order !== 'newest' && order !== 'oldest') throw invalid('order', "'newest' or 'oldest'")
  if (options.before !== undefined) checkRef('before', options.before)
  if (options.after !== undefined) checkRef('after', options.after)
  return read(reader, options, where === undefined ? undefined : storedFilter(where, reader.codec))
}

async function* read(
  { host, codec, place, named }: Reader,
  options: HistoryOptions,
  where: HistoryRequest['where'],
): AsyncGenerator<CheckpointInfo | Snapshot> {
  const { limit = Number.POSITIVE_INFINITY, order = 'newest', states = false, signal } = options
  let request: HistoryRequest = {
    ...place,
    limit: 0,
    order,
    states,
    ...(options.before === undefined ? {} : { before: named(options.before) }),
    ...(options.after === undefined ? {} : { after: named(options.after) }),
    ...(where === undefined ? {} : { where }),
  }
  const pause = pauses(signal)
  for (let left = limit; left > 0;) {
    signal?.throwIfAborted()
    const pageLimit = Math.min(left, states ? PAGE_WITH_STATES : PAGE)
    const page = await untilAborted(signal, () => host.history({ ...request, limit: pageLimit }))
    const found = page.frames ? await unfold(page.frames, pause) : undefined
    for (const item of page.items) {
      signal?.throwIfAborted()
      const info = toInfo(codec, place, item)
      if (!found) yield info
      else yield { ...info, state: await codec.decodeInSlices(found.get(item.seq) as Json, pause) }
    }
    left -= page.items.length
    if (page.next === undefined) return
    // As seqs from here on: a checkpoint that was named by its id may go between two pages.
    const before = order === 'newest' ? page.next + 1 : page.before
    const after = order === 'oldest' ? page.next - 1 : page.after
    request = {
      ...request,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    }
  }
}
