import { beatKey, leaseKey, partitionOf } from '../storage/keys.ts'
import type { Row } from '../storage/storage.ts'
import { unref } from '../platform/unref.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilRecognised } from './store/commit.ts'
import type {
  HeldLease,
  KeepLeaseRequest,
  LeaseSignRequest,
  TakeLeaseReply,
  TakeLeaseRequest,
} from './host.ts'
import { openMeta, type LeaseFacts } from './rows/meta-row.ts'
import { seal } from './rows/seal.ts'
import type { Store } from './store/store.ts'
import { partitionFor } from './store/threads.ts'
import { unlessDamaged } from './store/unread.ts'

/** In milliseconds, as tokens are. */
const MOST_WAITED = 20

/**
 * Whose turn it is on a thread is a row of `meta`, beside the thread's own rows, so that every commit can check it. Its
 * version is the fence: none comes back, also when the row was deleted in between. Nothing of it is remembered here,
 * so a host that takes the place of one that died knows as much.
 */
export async function takeLease(
  store: Store,
  { thread, key: by, always = false, locked = false, silent }: TakeLeaseRequest,
): Promise<TakeLeaseReply> {
  const [key, beat] = [leaseKey(thread), beatKey(thread)]
  const reply = await untilRecognised<TakeLeaseReply>(
    attemptsOn(store, { thread, namespace: '' }),
    async () => {
      const partition = await partitionFor(store, thread)
      const { held, sign } = await readLease(store, partition, { thread, locked })
      const before = factsOf(partition, held)
      if (held && before?.by === by) return { lease: held.version, token: before.token }
      if (sign !== undefined && !always && sign !== silent) return { sign }
      const facts: LeaseFacts = { token: Math.max(Date.now(), (before?.token ?? 0) + 1), by }
      const lease = await tryCommit(store, partition, {
        checks: [{ table: 'meta', key, version: held?.version }],
        deletes: [{ table: 'meta', key: beat }],
        puts: [{ table: 'meta', key, head: seal(partition, 'meta', key, facts) }],
      })
      return lease === LOST_RACE ? LOST_RACE : { lease, token: facts.token }
    },
  )
  if ('token' in reply) await past(reply.token)
  return reply
}

async function readLease(
  store: Store,
  partition: string,
  { thread, locked = false }: { readonly thread: string; readonly locked?: boolean },
): Promise<{ readonly held: Row | undefined; readonly sign: string | undefined }> {
  const [key, beat] = [leaseKey(thread), beatKey(thread)]
  const [rows = []] = await store.storage.read(partition, [{ table: 'meta', keys: [key, beat] }])
  const held = rows.find((row) => row.key[0] === key[0])
  // A holder by a lock gives none, and where there is a lock, nothing else is to be asked about it.
  const sign = rows.find((row) => row.key[0] === beat[0]) ?? (locked ? undefined : held)
  return { held, sign: held && sign?.version }
}

/** The latest sign of life of whoever has the lease; nothing where nobody has it. */
export async function leaseSign(store: Store, request: LeaseSignRequest): Promise<string | undefined> {
  return (await readLease(store, await partitionFor(store, request.thread), request)).sign
}

/**
 * By the clock no lease is given before its token is over: so that the next one is greater also when the row is deleted
 * meanwhile. A clock that was set back is not waited for.
 */
async function past(token: number): Promise<void> {
  for (let waited = 0; waited < MOST_WAITED && Date.now() <= token; waited++)
    await new Promise((resolve) => setTimeout(resolve, 1))
}

const factsOf = (partition: string, row: Row | undefined): LeaseFacts | undefined =>
  row && unlessDamaged(() => openMeta('lease', partition, row))

/** A row beside the lease's is put anew, time after time: that of the lease stays, and with it the fence. */
export async function keepLease(store: Store, request: KeepLeaseRequest): Promise<boolean> {
  const { thread, lease, times } = request
  const holds = await beatOnce(store, request)
  const isBeating = isBeaten(store, request)
  if (!holds) stopBeating(store, request)
  else store.beats.set(thread, { lease, left: times })
  if (holds && !isBeating) beatLater(store, request)
  return holds
}

const isBeaten = ({ beats }: Store, { thread, lease }: HeldLease): boolean =>
  beats.get(thread)?.lease === lease

function stopBeating(store: Store, held: HeldLease): void {
  if (isBeaten(store, held)) store.beats.delete(held.thread)
}

async function beatOnce(store: Store, { thread, lease, times }: KeepLeaseRequest): Promise<boolean> {
  const partition = await partitionFor(store, thread)
  const key = beatKey(thread)
  const version = await tryCommit(store, partition, {
    checks: [{ table: 'meta', key: leaseKey(thread), version: lease }],
    // Who is to give none leaves none: others would wait until it has been silent for long enough.
    ...(times > 0
      ? { puts: [{ table: 'meta', key, head: seal(partition, 'meta', key, {}) }] }
      : { deletes: [{ table: 'meta', key }] }),
  })
  return version !== LOST_RACE
}

/** Not for ever: who asked for it may be gone, and this one live on, as a SharedWorker does. */
function beatLater(store: Store, request: KeepLeaseRequest): void {
  const { thread, lease, every } = request
  const next = async (): Promise<void> => {
    // Another has it by now, which is beaten by itself.
    if (!isBeaten(store, request)) return
    const left = store.beats.get(thread)?.left ?? 0
    if (left === 0) return stopBeating(store, request)
    store.beats.set(thread, { lease, left: left - 1 })
    try {
      if (!(await beatOnce(store, request))) stopBeating(store, request)
    } finally {
      if (isBeaten(store, request)) beatLater(store, request)
    }
  }
  const timer = setTimeout(() => store.background(next), every)
  unref(timer)
}

export async function dropLease(store: Store, { thread, lease }: HeldLease): Promise<void> {
  stopBeating(store, { thread, lease })
  // Where it was taken, the thread may not have been yet: a fork of its name lives elsewhere.
  for (const partition of new Set([await partitionFor(store, thread), partitionOf(thread)])) {
    const dropped = await tryCommit(store, partition, {
      checks: [{ table: 'meta', key: leaseKey(thread), version: lease }],
      deletes: [leaseKey(thread), beatKey(thread)].map((key) => ({ table: 'meta', key }) as const),
    })
    if (dropped !== LOST_RACE) return
  }
}
