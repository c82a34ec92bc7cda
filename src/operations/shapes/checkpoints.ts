/** What stands with a checkpoint, wherever it comes from. */
import { isWriteIndex } from '../../ids.ts'
import type { StoredFields, StoredInfo, StoredRun, StoredSummary, StoredWrite } from '../host.ts'
import {
  holds,
  is,
  isBytes,
  isId,
  isList,
  isNamespace,
  isNumber,
  isPair,
  isRecord,
  isSeq,
  isShort,
  isText,
  isTime,
  known,
  MOST_LIST,
  type Is,
} from './shape.ts'

/** Their values are looked at where they come from elsewhere: see told.ts. */
export const isExtra: Is = isList(isPair(isText, () => true))

export const FIELDS = {
  node: isShort,
  next: isList(isText, MOST_LIST),
  step: isNumber,
  runId: isId,
  workflow: isShort,
  label: isShort,
  source: isShort,
  path: isList(isText, MOST_LIST),
  extra: isExtra,
}
export const FIELD_NAMES = Object.keys(FIELDS) as (keyof StoredFields)[]

export const POINT = { seq: isSeq, id: isId }
export const INFO = { seq: isSeq, id: isId, key: isId, createdAt: isTime, ...FIELDS }
export const INFO_MAY_LACK = ['key', 'parent', ...FIELD_NAMES] as const

/** In a row. */
export const INFO_IN_ROW = { ...INFO, parent: holds<NonNullable<StoredInfo['parent']>>(POINT) }

const knownFacts = known<StoredInfo>(INFO_IN_ROW)
const knownParent = known<NonNullable<StoredInfo['parent']>>(POINT)

export function knownInfo(info: StoredInfo): StoredInfo {
  const told = knownFacts(info)
  const parent = told.parent && knownParent(told.parent)
  return parent === told.parent ? told : { ...told, ...(parent ? { parent } : {}) }
}

const RUN = {
  id: isId,
  status: is('running', 'waiting', 'finished', 'failed', 'stopped'),
  turn: isId,
  began: isTime,
  at: isTime,
  why: isText,
}

export const isRun: Is = isRecord<StoredRun>(RUN, ['why'])
export const isRunInRow = holds<StoredRun>(RUN, ['why'])
export const knownRun = known<StoredRun>(RUN)

const FORK_POINT = { ...POINT, thread: isId, namespace: isNamespace }
/** In a row: where a fork begins. */
export const isForkPoint = holds<NonNullable<StoredSummary['forkOf']>>(FORK_POINT)
export const knownForkPoint = known<NonNullable<StoredSummary['forkOf']>>(FORK_POINT)

export const isWrite: Is = isRecord<StoredWrite>({
  taskId: isId,
  index: isWriteIndex,
  channel: isText,
  body: isBytes,
})
