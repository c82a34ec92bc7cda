import { CheckpointerError } from '../../errors.ts'
import type { Host, ImportBounds } from '../../operations/host.ts'
import { newId } from '../new-id.ts'
import { checkFunction, checkOptions, checkSignal, invalid, type Names } from '../options/options.ts'
import type { CarryProgress } from './export.ts'
import { bytesOf, type ImportSource } from './source.ts'

/** What a file may come to. A file beyond it is refused with `TOO_LARGE`. */
export interface ImportLimits {
  /** Unpacked bytes, and bytes in the store; 1 GiB when absent. */
  readonly bytes?: number | undefined
  /** Unpacked bytes for each byte of the file, beyond the first 16 MiB; 100 when absent. */
  readonly ratio?: number | undefined
  /** Lines; five million when absent. */
  readonly lines?: number | undefined
}

/** How a file is brought in. */
export interface ImportOptions {
  /** What is to happen when a thread of the file is here already. `refuse` (default): nothing is imported. */
  readonly onConflict?: 'refuse' | 'skip' | 'rename' | undefined
  /** What the file may come to at most. */
  readonly limits?: ImportLimits | undefined
  /** Stops it before the last page: then nothing of the file is there. */
  readonly signal?: AbortSignal | undefined
  /** Told, piece by piece, how far it has come. */
  readonly onProgress?: ((progress: CarryProgress) => void) | undefined
}

/** What an import has brought. */
export interface Imported {
  /** Ids of the threads, as they are here. */
  readonly threads: readonly string[]
  /** Ids of the threads that were here already, and were left out. */
  readonly skipped: readonly string[]
  /** Threads that were here already, and came under another id. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[]
  /** How many checkpoints the file has, also those of threads that were skipped. */
  readonly checkpoints: number
  /** Checkpoints that were damaged when the file was made, and so are not in it. */
  readonly missing: number
}

const IMPORT: Names<ImportOptions> = { onConflict: true, limits: true, signal: true, onProgress: true }
const LIMITS: Names<ImportLimits> = { bytes: true, ratio: true, lines: true }
const BOUNDS: ImportBounds = { bytes: 2 ** 30, ratio: 100, lines: 5_000_000 }

/** Sends a file to the store's side, and waits for each piece, so that nothing piles up. */
export async function importFrom(
  host: Host,
  source: ImportSource,
  options: ImportOptions,
): Promise<Imported> {
  const { onConflict = 'refuse', limits = {}, signal, onProgress } = checkOptions('import', options, IMPORT)
  if (!['refuse', 'skip', 'rename'].includes(onConflict))
    throw invalid('onConflict', "'refuse', 'skip' or 'rename'")
  checkSignal(signal)
  checkFunction('onProgress', onProgress)
  const request = { id: newId(), onConflict, bounds: boundsOf(limits) }
  let bytes = 0
  let page = 0
  const send = async (piece: Uint8Array, isLast: boolean) => {
    bytes += piece.length
    const reply = await host.importPage({ ...request, page: page++, bytes: piece, isLast })
    onProgress?.({ checkpoints: reply.checkpoints, bytes })
    return reply.imported
  }
  let isLast = false
  try {
    for await (const piece of bytesOf(source, signal)) await send(piece, false)
    signal?.throwIfAborted()
    isLast = true
    return (await send(new Uint8Array(), true)) as Imported
  } catch (error) {
    // The other side gives up by itself what has failed there. What stops here it must be told; a new worker too.
    await host.endCarry({ id: request.id }).catch(() => {})
    // Before its last page nothing of it can be there.
    if (!isLast && CheckpointerError.is(error, 'WORKER_LOST'))
      throw new CheckpointerError('WORKER_LOST', error.message, { outcome: 'none', cause: error })
    throw error
  }
}

function boundsOf(limits: ImportLimits): ImportBounds {
  const given = checkOptions('limits', limits, LIMITS, 'limits')
  const bound = (name: keyof ImportLimits): number => {
    const value = given[name] ?? BOUNDS[name]
    if (typeof (value as unknown) !== 'number' || !(value > 0))
      throw invalid(`limits.${name}`, 'a number above 0')
    // Infinity is no JSON, which some wires speak.
    return Math.min(value, Number.MAX_SAFE_INTEGER)
  }
  return { bytes: bound('bytes'), ratio: bound('ratio'), lines: bound('lines') }
}
