import { CheckpointerError } from '../../errors.ts'
import type { Host } from '../../operations/host.ts'
import { through } from '../../platform/through.ts'
import { newId } from '../new-id.ts'
import { untilAborted } from '../until-aborted.ts'
import {
  checkFunction,
  checkOptions,
  checkSignal,
  invalid,
  threadIdsOf,
  type Names,
} from '../options/options.ts'

/** How an export is made. */
export interface ExportOptions {
  /** Packs the file with gzip. `import` knows such a file by itself. */
  readonly compress?: boolean | 'gzip' | undefined
  /** What is to happen when a checkpoint cannot be read: refused with `CORRUPT`, or left out with a warning. */
  readonly onDamage?: 'refuse' | 'skip' | undefined
  /** Stops it: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Told, page by page, how far it has come. */
  readonly onProgress?: ((progress: CarryProgress) => void) | undefined
}

/** How far an export or an import has come. */
export interface CarryProgress {
  /** How many are done. */
  readonly checkpoints: number
  /** Of the file: unpacked for an export, as they were given for an import. */
  readonly bytes: number
}

const EXPORT: Names<ExportOptions> = { compress: true, onDamage: true, signal: true, onProgress: true }
/** Packing so many takes about a millisecond. */
const PACKED_AT_ONCE = 32 * 1024

/** The bytes of an export, as they are asked for. */
export function exportBytes(
  host: Host,
  ids: string | readonly string[] | undefined,
  options: ExportOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const given = checkOptions('export', options, EXPORT)
  const { compress = false, onDamage = 'refuse', signal } = given
  if (compress !== 'gzip' && typeof compress !== 'boolean') throw invalid('compress', "true, false or 'gzip'")
  if (onDamage !== 'refuse' && onDamage !== 'skip') throw invalid('onDamage', "'refuse' or 'skip'")
  checkSignal(signal)
  checkFunction('onProgress', given.onProgress)
  const plain = pages(host, ids === undefined ? undefined : threadIdsOf('ids', ids), given)
  return compress === false ? plain : packed(plain)
}

async function* pages(
  host: Host,
  ids: readonly string[] | undefined,
  { onDamage = 'refuse', signal, onProgress }: ExportOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const id = newId()
  let bytes = 0
  let isLast = false
  try {
    for (let page = 0; !isLast; page++) {
      // What is to be in it is said once: the list may be long.
      const request = { id, page, onDamage, ...(ids && page === 0 ? { ids } : {}) }
      const reply = await untilAborted(signal, () => host.exportPage(request))
      isLast = reply.isLast
      bytes += reply.bytes.length
      onProgress?.({ checkpoints: reply.checkpoints, bytes })
      yield reply.bytes
    }
  } finally {
    // Whoever stops in the middle lets go of what the other side holds; a side that is gone holds nothing.
    const ended = isLast ? undefined : host.endCarry({ id }).catch(() => {})
    // One that does not answer would not answer to this either.
    if (!signal?.aborted) await ended
  }
}

async function* packed(
  plain: AsyncGenerator<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (typeof CompressionStream === 'undefined')
    throw new CheckpointerError(
      'UNSUPPORTED',
      'This engine has no CompressionStream: export without compress.',
      {
        path: 'compress',
      },
    )
  yield* through(plain, new CompressionStream('gzip'), PACKED_AT_ONCE)
}
