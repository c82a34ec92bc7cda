/** What a line may be, to the last field: an export is a file, and may come from anyone. */
import { isWriteIndex } from '../../../ids.ts'
import { isJsonObject } from '../../../state/json.ts'
import { isStoredInfo } from '../../shapes/told.ts'
import {
  is,
  isId,
  isList,
  isNamespace,
  isPair,
  isRecord,
  isCount,
  isSeq,
  isShort,
  isText,
  isTime,
  type Is,
} from '../../shapes/shape.ts'
import type { CheckpointLine, ExportLine, LineSegment, ThreadLine, WriteLine } from '../lines.ts'

/** Less than a stored row may say: whoever goes on from there still has seqs that can be read again. */
const MOST_NEXT = 2 ** 48
const isNext: Is = (value) => isSeq(value) && (value as number) <= MOST_NEXT

const isSegment = isRecord<LineSegment>({ lane: isSeq, to: isSeq, hide: isList(isPair(isSeq, isSeq)) }, [
  'to',
  'hide',
])

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
        next: isNext,
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
        size: isCount,
        body: isText,
      },
      ['base'],
    ),
  ],
  [
    'write',
    isRecord<WriteLine>(
      {
        kind: is('write'),
        lane: isSeq,
        seq: isSeq,
        taskId: isId,
        index: isWriteIndex,
        channel: isText,
        at: isTime,
        made: isTime,
        size: isCount,
        body: isText,
      },
      ['made'],
    ),
  ],
  ['more', isRecord({ kind: is('more'), body: isText })],
  ['missing', isRecord({ kind: is('missing'), lane: isSeq, seq: isSeq, to: isSeq }, ['to'])],
  ['end', isRecord({ kind: is('end'), families: isSeq, threads: isSeq, checkpoints: isSeq, writes: isSeq })],
])

export const isLine = (value: unknown): value is ExportLine =>
  isJsonObject(value) && Object.hasOwn(value, 'kind') && LINES.get(value['kind'])?.(value) === true
