import { pauses } from '../../state/slices/pause.ts'
import type { Fenced, Host, OfThread, Place, RemovedReply } from '../../operations/host.ts'
import {
  checkFunction,
  checkOptions,
  checkRef,
  checkSignal,
  itemsOf,
  type Names,
} from '../options/options.ts'
import { untilAborted } from '../until-aborted.ts'

/** What went, or would go. */
export interface Removed {
  /** Which ones, by namespace and seq. */
  readonly removed: readonly { readonly namespace: string; readonly seq: number }[]
  /** Bytes freed. What a fork still shows is not freed. */
  readonly bytes: number
  /** How many checkpoints are left. */
  readonly kept: number
}

/** For removals of any size: of very many checkpoints, they go part by part. */
export interface LongRemoval {
  /** Stops between two parts: what went is gone, all else is as it was. */
  readonly signal?: AbortSignal | undefined
  /** Told, part by part, how many checkpoints have gone so far. */
  readonly onProgress?: ((removed: number) => void) | undefined
}

/** So many go in one commit, short enough that nobody who saves or reads has to wait for it. */
const PART = 1024
/** So many are named at a time: few for any wire, and some more than a part, in which whole chains are sought. */
const NAMED = 4 * PART

const LONG: Names<LongRemoval> = { signal: true, onProgress: true }

export function checkLongRemoval(options: LongRemoval, of?: string): LongRemoval {
  const removal = of === undefined ? options : checkOptions(of, options, LONG)
  checkSignal(removal.signal)
  checkFunction('onProgress', removal.onProgress)
  return removal
}

/** Prunes at once what fits one commit; of more, what the rules say at the start goes part by part. */
export async function prune(
  host: Host,
  request: Parameters<Host['prune']>[0],
  removal: LongRemoval,
): Promise<Removed> {
  const { thread, namespace, lease } = request
  const place = { thread, namespace, ...(lease === undefined ? {} : { lease }) }
  const { signal } = removal
  const ask = (dryRun: boolean): Promise<RemovedReply> => host.prune({ ...request, dryRun, most: PART })
  // To find out may take a while, and can be given up at any time; a removal that has begun is waited for.
  const plan = signal && (await untilAborted(signal, () => ask(true)))
  const isLong = plan !== undefined && plan.removed.length > PART
  const first = plan && (request.dryRun || isLong) ? plan : await ask(request.dryRun)
  if (request.dryRun) return toldOf(first, {})
  if (first.left === 0) return toldOf(first, removal)
  const ids = first.removed.map(({ seq }) => seq)
  return namedInParts(host, place, ids, removal)
}

export async function deleteCheckpoints(
  host: Host,
  place: Place & Fenced,
  refs: readonly (number | string)[],
  options: LongRemoval,
): Promise<Removed> {
  const removal = checkLongRemoval(options, 'deleteCheckpoints')
  const ids = itemsOf('refs', refs, 'a list of seqs and ids').map((ref, i) => {
    checkRef(`refs[${i}]`, ref)
    return ref
  })
  return namedInParts(host, place, ids, removal)
}

export async function deleteRun(
  host: Host,
  thread: OfThread,
  runId: string,
  options: LongRemoval,
): Promise<Removed> {
  const removal = checkLongRemoval(options, 'deleteRun')
  return inParts(removal, () => host.deleteRun({ ...thread, runId, most: PART }))
}

async function namedInParts(
  host: Host,
  place: Place & Fenced,
  refs: readonly (number | string)[],
  removal: LongRemoval,
): Promise<Removed> {
  let ids = refs
  const next = async (): Promise<RemovedReply> => {
    const reply = await host.deleteCheckpoints({ ...place, ids: ids.slice(0, NAMED), most: PART })
    const gone = new Set<number | string>(reply.removed.map(({ seq }) => seq))
    ids = reply.left === 0 ? ids.slice(NAMED) : ids.filter((id) => !gone.has(id))
    return reply
  }
  return inParts(removal, next, () => ids.length > 0)
}

/** `next` is asked until nothing is left of what it has been asked for, and nothing more is to come. */
async function inParts(
  removal: LongRemoval,
  next: () => Promise<RemovedReply>,
  isMore: () => boolean = () => false,
): Promise<Removed> {
  const removed: Removed['removed'][number][] = []
  let bytes = 0
  const pause = pauses(removal.signal)
  for (;;) {
    removal.signal?.throwIfAborted()
    const reply = await next()
    removed.push(...reply.removed)
    bytes += reply.bytes
    // What is left while nothing goes is held by others for now.
    const goesOn = reply.left === 0 ? isMore() : reply.removed.length > 0
    if (!goesOn) return toldOf({ removed, bytes, kept: reply.kept }, removal)
    removal.onProgress?.(removed.length)
    await pause()
  }
}

function toldOf({ removed, bytes, kept }: Removed, { onProgress }: LongRemoval): Removed {
  onProgress?.(removed.length)
  return { removed, bytes, kept }
}
