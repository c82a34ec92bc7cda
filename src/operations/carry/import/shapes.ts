/** What a line may be, to the last field: an export is a file, and may come from anyone. */
import { checkId, isWriteIndex } from '../../../ids.ts'
import { isJsonObject } from '../../../state/json.ts'
import type { StoredInfo } from '../../host.ts'
import type { CheckpointLine, ExportLine, LineSegment, ThreadLine, WriteLine } from '../lines.ts'

type Is = (value: unknown) => boolean
/** A check for every field of a type: the compiler sees to it that none is forgotten. */
type Fields<T> = { readonly [K in keyof T]-?: Is }

const MOST_TEXT = 1024
const MOST_LIST = 10_000
const MOST_SEQ = Number.MAX_SAFE_INTEGER - 2
/** Beyond it a time is no date. */
const MOST_TIME = 8.64e15

const isSeq: Is = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_SEQ
const isTime: Is = (value) => Number.isFinite(value) && Math.abs(value as number) <= MOST_TIME
const isText: Is = (value) => typeof value === 'string'
const isShort: Is = (value) => typeof value === 'string' && value.length <= MOST_TEXT
const isList =
  (is: Is, most = Infinity): Is =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(is)
const isPair =
  (a: Is, b: Is): Is =>
  (value) =>
    Array.isArray(value) && value.length === 2 && a(value[0]) && b(value[1])

const isIdOr =
  (allowEmpty: boolean): Is =>
  (value) => {
    try {
      checkId('', value, allowEmpty)
      return true
    } catch {
      return false
    }
  }
const isId = isIdOr(false)
const isNamespace = isIdOr(true)

/** Own properties alone, every one of them known, and none missing that must be there. */
const isRecord =
  <T>(fields: Fields<T>, optional: readonly (keyof T)[] = []): Is =>
  (value) =>
    isJsonObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(fields, name) && fields[name as keyof T](value[name])) &&
    Object.keys(fields).every((name) => Object.hasOwn(value, name) || optional.includes(name as keyof T))

const isStoredInfo = isRecord<StoredInfo>(
  {
    seq: isSeq,
    id: isId,
    key: isId,
    createdAt: isTime,
    parent: isRecord<NonNullable<StoredInfo['parent']>>({ seq: isSeq, id: isId }),
    node: isShort,
    next: isList(isText, MOST_LIST),
    step: (value) => Number.isFinite(value),
    runId: isId,
    workflow: isShort,
    label: isShort,
    source: isShort,
    path: isList(isText, MOST_LIST),
    // Their values are looked at where states are.
    extra: isList(isPair(isText, () => true)),
  },
  ['key', 'parent', 'node', 'next', 'step', 'runId', 'workflow', 'label', 'source', 'path', 'extra'],
)

const isSegment = isRecord<LineSegment>({ lane: isSeq, to: isSeq, hide: isList(isPair(isSeq, isSeq)) }, [
  'to',
  'hide',
])

const is =
  (kind: string): Is =>
  (value) =>
    value === kind

const LINES: ReadonlyMap<unknown, Is> = new Map<ExportLine['kind'], Is>([
  ['family', isRecord({ kind: is('family') })],
  ['again', isRecord({ kind: is('again') })],
  [
    'thread',
    isRecord<ThreadLine>(
      {
        kind: is('thread'),
        thread: isId,
        namespace: isNamespace,
        createdAt: isTime,
        updatedAt: isTime,
        next: isSeq,
        segments: isList(isSegment),
        label: isShort,
        forkOf: isRecord<NonNullable<ThreadLine['forkOf']>>({
          thread: isId,
          namespace: isNamespace,
          seq: isSeq,
          id: isId,
        }),
      },
      ['label', 'forkOf'],
    ),
  ],
  [
    'checkpoint',
    isRecord<CheckpointLine>(
      {
        kind: is('checkpoint'),
        lane: isSeq,
        facts: isStoredInfo,
        base: isPair(isSeq, isSeq),
        size: isSeq,
        body: isText,
      },
      ['base'],
    ),
  ],
  [
    'write',
    isRecord<WriteLine>({
      kind: is('write'),
      lane: isSeq,
      seq: isSeq,
      taskId: isId,
      index: isWriteIndex,
      channel: isText,
      at: isTime,
      size: isSeq,
      body: isText,
    }),
  ],
  ['more', isRecord({ kind: is('more'), body: isText })],
  ['missing', isRecord({ kind: is('missing'), lane: isSeq, seq: isSeq })],
  ['end', isRecord({ kind: is('end'), families: isSeq, threads: isSeq, checkpoints: isSeq, writes: isSeq })],
])

export const isLine = (value: unknown): value is ExportLine =>
  isJsonObject(value) && Object.hasOwn(value, 'kind') && LINES.get(value['kind'])?.(value) === true
