/** What each verb may be asked, to the last field: for calls from those whom the host does not know. */
import { TABLES } from '../storage/storage.ts'
import type {
  At,
  CopyRequest,
  Cursor,
  DeleteCheckpointsRequest,
  DeleteRunRequest,
  DropWritesRequest,
  ExportPageRequest,
  ForkRequest,
  HeldLease,
  HistoryRequest,
  HistoryWhere,
  ImportBounds,
  ImportPageRequest,
  KeepLeaseRequest,
  LeaseSignRequest,
  LoadRequest,
  NewCheckpoint,
  OfThread,
  Place,
  PruneRequest,
  PutWritesRequest,
  ReadWritesRequest,
  RepairRequest,
  RetentionRules,
  RunsRequest,
  SaveManyRequest,
  SaveRequest,
  TakeLeaseRequest,
  ThreadsRequest,
  UsageCursor,
  UsageRequest,
  VerifyRequest,
} from '../operations/host.ts'
import type { Verb } from '../operations/verbs.ts'
import { isHeard } from '../operations/shapes/syncing.ts'
import { isSaveName } from '../operations/shapes/sync-note.ts'
import { isExtra, isRun, isWrite } from '../operations/shapes/checkpoints.ts'
import { isFields } from '../operations/shapes/told.ts'
import {
  either,
  is,
  isBytes,
  isFlag,
  isId,
  isList,
  isRecord,
  isSeq,
  isShort,
  isTime,
  MOST_LIST,
  type Is,
} from '../operations/shapes/shape.ts'
import { FENCED, isNumber, isPage, isRef, isStored, isVersion, PLACE } from './asked.ts'
import { SYNC_REQUESTS } from './sync-requests.ts'

/** As many saves or writes come in one call at most. */
const MOST_AT_ONCE = 100_000
/** In milliseconds. A timer takes no more than some weeks, and anything longer at once. */
const FASTEST = 100
const SLOWEST = 60 * 60_000

const isPositive: Is = (value) => Number.isFinite(value) && (value as number) > 0
/** Signs of life that come faster are a load, not a sign. */
const isPace: Is = (value) =>
  Number.isFinite(value) && (value as number) >= FASTEST && (value as number) <= SLOWEST
const isIndex: Is = (value) => Number.isSafeInteger(value)
const isRefOrNone = either(isRef, is(null))

const isOfThread = isRecord<OfThread>({ thread: isId, ...FENCED }, ['lease'])

const isAt = either(
  isRecord<Extract<At, { seq: number }>>({ seq: isSeq }),
  isRecord<Extract<At, { id: string }>>({ id: isId }),
  isRecord<Extract<At, { step: number }>>({ step: isNumber }),
  isRecord<Extract<At, { label: string }>>({ label: isShort }),
)

const CHECKPOINT = {
  key: isId,
  id: isId,
  createdAt: isTime,
  fields: isFields,
  frame: isRecord<NewCheckpoint['frame']>(
    { base: isRecord<NonNullable<NewCheckpoint['frame']['base']>>({ id: isId, key: isId }), body: isBytes },
    ['base'],
  ),
}
const isCheckpoint = isRecord<NewCheckpoint>(CHECKPOINT, ['id'])

const isRules = isRecord<RetentionRules>(
  { keepLast: isSeq, olderThan: isNumber, keepEvery: isSeq, keepLabelled: isFlag },
  ['keepLast', 'olderThan', 'keepEvery'],
)

const isSave = isRecord<SaveRequest>(
  {
    ...PLACE,
    ...FENCED,
    ...CHECKPOINT,
    parent: isRefOrNone,
    expect: isRefOrNone,
    retry: is(true),
    retention: either(is(false), isRules),
    run: isRun,
    writes: isList(isWrite, MOST_AT_ONCE),
  },
  ['lease', 'id', 'parent', 'expect', 'retry', 'retention', 'run', 'writes'],
)

const isWhere = isRecord<HistoryWhere>(
  {
    runId: isId,
    node: isShort,
    source: isShort,
    label: isShort,
    step: isNumber,
    workflow: isShort,
    extra: isExtra,
  },
  ['runId', 'node', 'source', 'label', 'step', 'workflow', 'extra'],
)

const isRank = isRecord<NonNullable<ThreadsRequest['after']>>({ rank: isNumber, thread: isStored })
const isRanked = isRecord<ThreadsRequest & RunsRequest>({ limit: isPage, after: isRank }, ['after'])

const isKey = isList(either(isStored, isNumber), 16)
const isTable = is(...TABLES)

const isNothing = is(undefined)

const REQUESTS: Record<Verb, Is> = {
  save: isSave,
  saveMany: isRecord<SaveManyRequest>({ ...PLACE, saves: isList(isSave, MOST_AT_ONCE), relaxed: isFlag }, [
    'relaxed',
  ]),
  head: isRecord<Place>(PLACE),
  load: isRecord<LoadRequest>({ ...PLACE, at: isAt, known: isId }, ['at', 'known']),
  history: isRecord<HistoryRequest>(
    {
      ...PLACE,
      limit: isPage,
      before: isRef,
      after: isRef,
      order: is('newest', 'oldest'),
      where: isWhere,
      states: isFlag,
    },
    ['before', 'after', 'where'],
  ),
  fork: isRecord<ForkRequest>(
    {
      ...PLACE,
      at: isAt,
      as: isId,
      label: isShort,
      createdAt: isTime,
      key: isId,
      first: isCheckpoint,
      only: isList(isSaveName, MOST_AT_ONCE),
      heard: isHeard,
    },
    ['at', 'label', 'first', 'only', 'heard'],
  ),
  copy: isRecord<CopyRequest>({ thread: isId, as: isId, createdAt: isTime, key: isId }),
  prune: isRecord<PruneRequest>(
    {
      ...PLACE,
      ...FENCED,
      keepLast: isSeq,
      olderThan: isNumber,
      keepEvery: isSeq,
      keepLabelled: isFlag,
      ancestors: is('keep', 'drop'),
      branches: is('keep', 'drop'),
      maxBytes: isNumber,
      dryRun: isFlag,
      most: isSeq,
    },
    ['lease', 'keepLast', 'olderThan', 'keepEvery', 'keepLabelled', 'branches', 'maxBytes', 'most'],
  ),
  deleteThread: isOfThread,
  deleteCheckpoints: isRecord<DeleteCheckpointsRequest>(
    { ...PLACE, ...FENCED, ids: isList(isRef, MOST_AT_ONCE), most: isSeq },
    ['lease', 'most'],
  ),
  deleteRun: isRecord<DeleteRunRequest>({ thread: isId, ...FENCED, runId: isId, most: isSeq }, [
    'lease',
    'most',
  ]),
  putWrites: isRecord<PutWritesRequest>(
    {
      ...PLACE,
      ...FENCED,
      checkpoint: isRef,
      writes: isList(isWrite, MOST_AT_ONCE),
      run: isRun,
      turn: isId,
      since: isTime,
      relaxed: isFlag,
    },
    ['lease', 'run', 'turn', 'since', 'relaxed'],
  ),
  readWrites: isRecord<ReadWritesRequest>(
    { ...PLACE, checkpoint: isSeq, taskId: isId, from: isIndex, before: isIndex },
    ['taskId', 'from', 'before'],
  ),
  dropWrites: isRecord<DropWritesRequest>(
    {
      ...PLACE,
      ...FENCED,
      checkpoint: isSeq,
      tasks: isList(isId, MOST_AT_ONCE),
      from: isIndex,
      until: isIndex,
    },
    ['lease', 'until'],
  ),
  takeLease: isRecord<TakeLeaseRequest>(
    { thread: isId, key: isId, always: isFlag, locked: isNothing, silent: isVersion },
    ['always', 'locked', 'silent'],
  ),
  keepLease: isRecord<KeepLeaseRequest>({
    thread: isId,
    lease: isVersion,
    times: (value) => isSeq(value) && (value as number) <= MOST_LIST,
    every: isPace,
  }),
  dropLease: isRecord<HeldLease>({ thread: isId, lease: isVersion }),
  leaseSign: isRecord<LeaseSignRequest>({ thread: isId, locked: isNothing }, ['locked']),
  threads: isRanked,
  namespaces: isOfThread,
  runs: isRanked,
  usage: isRecord<UsageRequest>(
    {
      after: isRecord<UsageCursor>(
        {
          partition: isStored,
          left: isList(
            isRecord<NonNullable<UsageCursor['left']>[number]>({ table: isTable, from: isKey }),
            TABLES.length,
          ),
        },
        ['left'],
      ),
    },
    ['after'],
  ),
  verify: isRecord<VerifyRequest>(
    { from: isRecord<Cursor>({ partition: isStored, table: isTable, after: isKey }, ['after']) },
    ['from'],
  ),
  repair: isRecord<RepairRequest>({ id: isId, page: isSeq, isPlan: isFlag }),
  exportPage: isRecord<ExportPageRequest>(
    {
      id: isId,
      page: isSeq,
      ids: isList(isId, MOST_AT_ONCE),
      origins: isList(isId, MOST_AT_ONCE),
      onDamage: is('refuse', 'skip'),
    },
    ['ids', 'origins'],
  ),
  importPage: isRecord<ImportPageRequest>({
    id: isId,
    page: isSeq,
    bytes: isBytes,
    isLast: isFlag,
    onConflict: is('refuse', 'skip', 'rename'),
    bounds: isRecord<ImportBounds>({ bytes: isPositive, ratio: isPositive, lines: isPositive }),
  }),
  endCarry: isRecord<{ id: string }>({ id: isId }),
  ...SYNC_REQUESTS,
  flush: isNothing,
  rest: isNothing,
  owe: isNothing,
  destroy: isNothing,
  close: isNothing,
  // What a page tells of its own browser: nobody else has a say in it.
  settle: is(),
  reconcile: is(),
  recordLoss: is(),
}

export const isRequest = (verb: Verb, request: unknown): boolean => REQUESTS[verb](request)
