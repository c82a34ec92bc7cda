/** A page of an export: pages are asked for in order, by one who made up the id. */
export interface ExportPageRequest {
  readonly id: string
  readonly page: number
  /** With page 0. All threads when absent. */
  readonly ids?: readonly string[]
  /** Only of these, and of `ids`, it is told that a thread began at them; of all when absent. */
  readonly origins?: readonly string[]
  readonly onDamage: 'refuse' | 'skip'
}

/** How far an export or an import has come. */
interface CarryReply {
  readonly checkpoints: number
}

export interface ExportPageReply extends CarryReply {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isLast: boolean
}

/** What an import takes at most; what goes beyond is refused. */
export interface ImportBounds {
  /** Unpacked, and again as it is stored. */
  readonly bytes: number
  /** Unpacked bytes for each packed one. */
  readonly ratio: number
  readonly lines: number
}

/** The next bytes of a file, in order. */
export interface ImportPageRequest {
  readonly id: string
  readonly page: number
  readonly bytes: Uint8Array
  readonly isLast: boolean
  readonly onConflict: 'refuse' | 'skip' | 'rename'
  readonly bounds: ImportBounds
}

export interface ImportPageReply extends CarryReply {
  /** With the last page, when all of it is there. */
  readonly imported?: ImportedReply
}

export interface ImportedReply {
  /** By the names that they have here. */
  readonly threads: readonly string[]
  readonly skipped: readonly string[]
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  readonly checkpoints: number
  /** Checkpoints that were damaged when they were exported, and are not in the file. */
  readonly missing: number
}
