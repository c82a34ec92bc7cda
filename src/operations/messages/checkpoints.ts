import type { Json } from '../../state/json.ts'

/** One save, whatever else may have had its id before or since. */
interface SavedRef {
  readonly id: string
  readonly key: string
}

/** A state on its way: whole, or as what changed since a checkpoint of the same thread. */
interface Frame {
  /** The checkpoint that the delta starts from; absent when `body` is the whole state. */
  readonly base?: SavedRef
  readonly body: Uint8Array
}

/** Names and encoded values. */
export type StoredExtra = readonly (readonly [name: string, value: Json])[]

/** The caller's fields as they are stored. */
export interface StoredFields {
  readonly node?: string
  readonly next?: readonly string[]
  readonly step?: number
  readonly runId?: string
  readonly workflow?: string
  readonly label?: string
  readonly source?: string
  readonly path?: readonly string[]
  readonly extra?: StoredExtra
}

/** A checkpoint's facts as they travel and as they are stored. */
export interface StoredInfo extends StoredFields {
  readonly seq: number
  readonly id: string
  /** What names this one save, when it is not the id: an id of the caller's may be used again elsewhere. */
  readonly key?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly parent?: { readonly seq: number; readonly id: string }
}

export interface NewCheckpoint {
  /** Unique, made by the caller's side: the checkpoint's id unless `id` is given. A second try is recognised by it. */
  readonly key: string
  readonly id?: string
  readonly createdAt: number
  readonly fields: StoredFields
  readonly frame: Frame
}

/** The frames that some states are folded from: for each its seq and its base's, and its body. */
export interface Frames {
  readonly index: readonly { readonly seq: number; readonly base?: number }[]
  readonly bodies: readonly Uint8Array[]
}

export interface StoredWrite {
  readonly taskId: string
  readonly index: number
  readonly channel: string
  /** The encoded value, UTF-8 JSON. */
  readonly body: Uint8Array
}
