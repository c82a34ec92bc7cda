import { nameOfGone } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import type { SyncGone } from '../host.ts'
import { isList, isText } from '../shapes/shape.ts'
import { openMeta } from './meta-row.ts'
import { corrupt } from './seal.ts'

/**
 * What was removed from threads that other stores have too. It stands in the database's partition, as a thread's own
 * goes with its last thread. So it is written first, and means nothing until the removal was made.
 */
export interface GoneRow extends SyncGone {
  /** Let go to save room here: others may keep it. */
  readonly isOwn: boolean
  /** Others hear of it once this removal was made. */
  readonly by?: RemovalMade | undefined
}

/** A removal, and the partition in which it says that it was made. */
export interface RemovalMade {
  readonly partition: string
  readonly name: string
}

export function openGone(partition: string, row: Row): GoneRow {
  const { own = false, by } = openMeta('gone', partition, row)
  const saves = namesIn(row).map(([namespace, id, key]) => {
    return { namespace, id, ...(key === undefined ? {} : { key }) }
  })
  return {
    name: nameOfGone(row.key),
    saves,
    isOwn: own,
    ...(by ? { by: { partition: by[0], name: by[1] } } : {}),
  }
}

type SavedName = readonly [namespace: string, id: string, key?: string]

/** In its body, as there may be many. */
function namesIn({ key, body }: Row): readonly SavedName[] {
  let names: unknown
  try {
    names = JSON.parse(new TextDecoder().decode(body))
  } catch (cause) {
    throw corrupt('meta', key, 'its body is no JSON', cause)
  }
  if (!areNames(names)) throw corrupt('meta', key, 'its body is no list of saves')
  return names
}

const isTexts = isList(isText, 3)
const areNames = (names: unknown): names is readonly SavedName[] =>
  Array.isArray(names) && names.every((name) => isTexts(name) && (name as readonly string[]).length > 1)
