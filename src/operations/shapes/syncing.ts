/** What comes from another store: it may be anyone's. */
import type {
  StoredSummary,
  SyncForgetRequest,
  SyncGone,
  SyncHead,
  SyncRow,
  SyncTakeRequest,
  SyncWrite,
} from '../host.ts'
import { isRun } from './checkpoints.ts'
import { isStoredInfo } from './told.ts'
import {
  is,
  isBytes,
  isFlag,
  isId,
  isList,
  isNamespace,
  isRecord,
  isSeq,
  isShort,
  isText,
  isTime,
  MOST_LIST,
  type Is,
} from './shape.ts'
import { isWriteIndex } from '../../ids.ts'

const isSyncWrite = isRecord<SyncWrite>({
  taskId: isId,
  index: isWriteIndex,
  channel: isText,
  body: isBytes,
  made: isTime,
})

const areWrites = isList(isSyncWrite)
/** Each of a place of its own. */
const areApart: Is = (value) =>
  areWrites(value) &&
  new Set((value as readonly SyncWrite[]).map(({ taskId, index }) => `${index} ${taskId}`)).size ===
    (value as readonly SyncWrite[]).length

const isSyncRow = isRecord<SyncRow>(
  {
    info: isStoredInfo,
    base: isRecord<NonNullable<SyncRow['base']>>({ id: isId, key: isId }),
    body: isBytes,
    writes: areApart,
  },
  ['base'],
)

const isHead = isRecord<SyncHead>({ seq: isSeq, id: isId, key: isId, run: isRun }, ['key', 'run'])

const isAbout = isRecord<SyncTakeRequest['about']>(
  {
    createdAt: isTime,
    label: isShort,
    forkOf: isRecord<NonNullable<StoredSummary['forkOf']>>({
      thread: isId,
      namespace: isNamespace,
      seq: isSeq,
      id: isId,
    }),
  },
  ['label', 'forkOf'],
)

/** The name stands in a key. */
export const isGoneName: Is = (value) => typeof value === 'string' && /^[0-9a-z-]{1,64}$/.test(value)

export const isHeard: Is = isList(isGoneName, MOST_LIST)

export const isSyncTake: Is = isRecord<SyncTakeRequest>(
  {
    thread: isId,
    namespace: isNamespace,
    about: isAbout,
    rows: isList(isSyncRow, MOST_LIST),
    heads: isList(isHead, MOST_LIST),
    past: isList(isId, MOST_LIST),
    left: isId,
    isLast: isFlag,
    heard: isHeard,
  },
  ['heard', 'left'],
)

const isGone = isRecord<SyncGone>({
  name: isGoneName,
  saves: isList(
    isRecord<SyncGone['saves'][number]>({ namespace: isNamespace, id: isId, key: isId }, ['key']),
  ),
})

export const isSyncForget: Is = isRecord<SyncForgetRequest>({
  thread: isId,
  gone: isList(isGone, MOST_LIST),
  deleted: isFlag,
})

export const isGiven: Is = is('deltas', 'whole', 'none')
