/** What somebody else tells of a checkpoint: a caller over the wire, a file, another store. */
import type { Json } from '../../state/json.ts'
import { isSound } from '../../state/sound.ts'
import type { StoredFields, StoredInfo } from '../host.ts'
import { FIELD_NAMES, FIELDS, INFO, INFO_MAY_LACK, POINT } from './checkpoints.ts'
import { isList, isPair, isRecord, isText, type Is } from './shape.ts'

/** Who cannot decode one could not list the thread. */
const extra: Is = isList(isPair(isText, (value) => isSound(value as Json)))

export const isFields: Is = isRecord<StoredFields>({ ...FIELDS, extra }, FIELD_NAMES)

export const isStoredInfo: Is = isRecord<StoredInfo>(
  { ...INFO, extra, parent: isRecord<NonNullable<StoredInfo['parent']>>(POINT) },
  INFO_MAY_LACK,
)
