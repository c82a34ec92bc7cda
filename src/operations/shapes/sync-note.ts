import type { SaveName, SyncNote } from '../host.ts'
import {
  holds,
  isId,
  isList,
  isNamespace,
  isPair,
  isRecord,
  isSeq,
  isShort,
  isText,
  isTime,
  MOST_LIST,
  type Is,
} from './shape.ts'

export const isSaveName: Is = isRecord<SaveName>({ id: isId, key: isId }, ['key'])

const isPlaceInLane: Is = isPair(isShort, isSeq)

const NOTED = {
  namespace: isNamespace,
  mine: isPlaceInLane,
  theirs: isPlaceInLane,
  heads: isList(isSaveName, MOST_LIST),
  wrote: isPair(isTime, isTime),
  filed: isPair(isTime, isTime),
}
const NOT_ALWAYS = ['heads', 'wrote', 'filed'] as const
const STAMPS = { mine: isText, theirs: isText }

export const isSyncNote: Is = isRecord<SyncNote>(
  { ...STAMPS, places: isList(isRecord<SyncNote['places'][number]>(NOTED, NOT_ALWAYS), MOST_LIST) },
  ['mine', 'theirs'],
)
export const isSyncNoteInRow = holds<SyncNote>(
  { ...STAMPS, places: isList(holds<SyncNote['places'][number]>(NOTED, NOT_ALWAYS), MOST_LIST) },
  ['mine', 'theirs'],
)
