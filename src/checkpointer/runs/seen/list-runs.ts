import type { Host, Place, RunsReply, RunsRequest, StoredRun } from '../../../operations/host.ts'
import type { Leases } from '../../leases/leases.ts'
import { checkOptions, checkSignal, invalid, itemsOf, type Names } from '../../options/options.ts'
import { untilAborted } from '../../until-aborted.ts'
import { askingRun, infoOfRun, type RunInfo, type RunReader, type RunStatus } from './run-info.ts'

/** Which runs are listed. */
export interface RunsOptions {
  /** Only those that stand like this. All when absent. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined
  /** Stops it: the loop rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const RUNS: Names<RunsOptions> = { status: true, signal: true }

const STATUSES: readonly RunStatus[] = ['running', 'waiting', 'orphaned', 'finished', 'failed', 'stopped']
const WANTED = `one of '${STATUSES.join("', '")}', or a list of them`

const PAGE = 100

interface Reader extends RunReader {
  readonly leases: Pick<Leases, 'isHeld'>
}

type StoredItem = RunsReply['items'][number]

export async function* listRuns(reader: Reader, given: RunsOptions): AsyncGenerator<RunInfo> {
  const { status, signal } = checkOptions('runs', given, RUNS)
  checkSignal(signal)
  const wanted = wantedStatuses(status)
  for await (const items of pagesOfRuns(reader.host, signal)) {
    const found = items.filter(({ run }) => mayBe(run, wanted))
    // Beside one another: where signs of life tell who lives, they are waited for.
    const infos = await untilAborted(signal, () =>
      Promise.all(found.map((item) => seen(reader, item, signal))),
    )
    for (const info of infos) if (info && wanted.has(info.status)) yield info
  }
}

/** The latest run at one place. */
export async function latestRun(reader: Reader, place: Place): Promise<RunInfo | undefined> {
  const { run } = await reader.host.head(place)
  return run && seen(reader, { ...place, run }, undefined)
}

/** The latest runs of all threads, some at a time. */
export async function* pagesOfRuns(
  host: Pick<Host, 'runs'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  let after: RunsRequest['after']
  for (;;) {
    const request = { limit: PAGE, ...(after ? { after } : {}) }
    const { items, next } = await untilAborted(signal, () => host.runs(request))
    yield items
    if (!next) return
    after = next
  }
}

/** As it stands now: between two looks it may have ended, or have been taken up. */
async function seen(
  reader: Reader,
  { thread, namespace, run }: StoredItem,
  signal: AbortSignal | undefined,
): Promise<RunInfo | undefined> {
  const place: Place = { thread, namespace }
  if (run.status !== 'running' || (await reader.leases.isHeld(thread, { signal })))
    return askingRun(reader, place, run)
  const { run: now } = await reader.host.head(place)
  if (now?.status === 'running' && now.turn === run.turn)
    return { ...infoOfRun(place, now), status: 'orphaned' }
  return now && askingRun(reader, place, now)
}

const mayBe = ({ status }: StoredRun, wanted: ReadonlySet<RunStatus>): boolean =>
  wanted.has(status) || (status === 'running' && wanted.has('orphaned'))

function wantedStatuses(given: unknown): ReadonlySet<RunStatus> {
  if (given === undefined) return new Set(STATUSES)
  const list = typeof given === 'string' ? [given] : itemsOf('status', given, WANTED, STATUSES.length)
  return new Set(list.map((each) => STATUSES.find((status) => status === each) ?? refuse()))
}

function refuse(): never {
  throw invalid('status', WANTED)
}
