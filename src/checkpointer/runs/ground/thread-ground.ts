import type { HistoryReply, HistoryRequest, Place, SaveRequest } from '../../../operations/host.ts'
import type { HeldLease } from '../../leases/lease.ts'
import { pages } from '../../threads/history.ts'
import { load, toPendingWrite } from '../../threads/load.ts'
import { captured } from '../../threads/save.ts'
import type { Shared } from '../../threads/shared.ts'
import { storedAt } from '../../threads/which.ts'
import type { Ground } from './ground.ts'
import { untilKnown } from './until-known.ts'

interface OfHandle {
  readonly lease: HeldLease | undefined
  readonly retention: SaveRequest['retention'] | undefined
}

/** What a run does on a thread, by way of what its handle has. */
export function threadGround<State>(
  shared: Shared,
  place: Place,
  { lease: own, retention }: OfHandle,
): Ground<State> {
  const { host, codec, known, saves, unsure, leases, news, behind, closed } = shared
  const history = (request: HistoryRequest): Promise<HistoryReply> => untilKnown(() => host.history(request))
  return {
    ...place,
    codec,
    closed,
    lease: own && !own.isOver ? own : undefined,
    takeLease: (options) => untilKnown(() => leases.take(place.thread, options)),
    async load(which) {
      const at = which === undefined ? undefined : storedAt(shared, place, 'from', which)
      return untilKnown(() => load<State>(shared, place, at))
    },
    async head() {
      const { heads } = await untilKnown(() => host.heads(place))
      return heads[0]
    },
    async journalOf(seq) {
      const mine = known.find(place, seq)
      const request = { ...place, at: { seq }, ...(mine ? { known: mine.key } : {}) }
      const reply = await untilKnown(() => host.load(request))
      const writes = (reply?.writes ?? []).map((write) => toPendingWrite(codec, write))
      return { writes, ...(reply?.run ? { run: reply.run } : {}) }
    },
    async writesOn(seq, channel) {
      const writes = await untilKnown(() => host.readWrites({ ...place, checkpoint: seq }))
      return writes.filter((write) => write.channel === channel).map((write) => toPendingWrite(codec, write))
    },
    checkpointsOf: (runId, options) =>
      pages({ host: { history }, codec, place, named: (ref) => ref }, { ...options, where: { runId } }),
    async save(state, options, beside, lease) {
      const sendCaptured = captured(shared, place, state, options, { retention, beside })
      return untilKnown(() => lease.write((fence) => saves.run(place, (send) => sendCaptured(fence, send))))
    },
    isSaved(state, seq) {
      const saved = known.find(place, seq)
      return saved !== undefined && codec.capture(state, saved.state).delta?.length === 0
    },
    isSame(seq, other) {
      // A state in which nothing has changed is captured as the very one before it.
      const before = known.find(place, seq)
      return before !== undefined && before.state === known.find(place, other)?.state
    },
    putWrites(request, lease) {
      unsure.changed(place)
      const put = (fence: { readonly lease?: string }) => host.putWrites({ ...place, ...fence, ...request })
      return untilKnown(() => (lease ? lease.write(put) : put({})))
    },
    tryWrites(request) {
      unsure.changed(place)
      return host.putWrites({ ...place, ...request })
    },
    subscribe: (listener) => news.subscribe(listener),
    dropWrites(request, lease) {
      return lease.write((fence) => host.dropWrites({ ...place, ...fence, ...request }))
    },
    writesBehind(work) {
      behind.add(work)
      return () => void behind.delete(work)
    },
    onWarning: (warning) => news.onWarning(warning),
  }
}
