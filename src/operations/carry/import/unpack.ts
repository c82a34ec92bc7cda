import { CheckpointerError } from '../../../errors.ts'
import { through } from '../../../platform/through.ts'
import { joined } from '../../../platform/bytes.ts'
import { MOST_LINE_BYTES } from '../lines.ts'
import type { ImportBounds } from '../../host.ts'

/** What is given at a time may unpack to a thousand times as many, all at once. */
const FEED = 8 * 1024
/** Up to here a file may be packed as tightly as it likes. */
const FREE_BYTES = 16 * 1024 * 1024

/** The lines of a file, unpacked if it is packed. Nothing is ever held but one piece and one line. */
export async function* linesIn(
  source: AsyncIterable<Uint8Array>,
  bounds: ImportBounds,
): AsyncGenerator<Uint8Array> {
  const taken = { packed: 0, bytes: 0 }
  const plain = bounded(unpacked(counted(source, taken)), bounds, taken)
  const pieces: Uint8Array[] = []
  let length = 0
  let lines = 0
  for await (const chunk of plain) {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(10, at)
      const piece = chunk.subarray(at, end < 0 ? chunk.length : end)
      length += piece.length
      if (length > MOST_LINE_BYTES + 9) throw tooLarge(`line of more than ${MOST_LINE_BYTES} bytes`)
      pieces.push(piece)
      if (end < 0) break
      if (++lines > bounds.lines) throw tooLarge(`file of more than ${bounds.lines} lines`, 'lines')
      yield joined(pieces)
      pieces.length = 0
      length = 0
      at = end + 1
    }
  }
  if (length === 0) return
  if (lines === 0 && !isOurs(joined(pieces)))
    throw new CheckpointerError('INVALID', 'This is no file that `export` has made.')
  throw new CheckpointerError('CORRUPT', 'The file ends in the middle of a line.')
}

/** A line of ours begins with its sum. */
const isOurs = (start: Uint8Array): boolean =>
  /^[0-9a-f]{1,8}( |$)/.test(new TextDecoder().decode(start.subarray(0, 9)))

async function* counted(
  source: AsyncIterable<Uint8Array>,
  taken: { packed: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    taken.packed += chunk.length
    if (chunk.length > 0) yield chunk
  }
}

async function* bounded(
  source: AsyncIterable<Uint8Array>,
  bounds: ImportBounds,
  taken: { readonly packed: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    taken.bytes += chunk.length
    if (taken.bytes > bounds.bytes)
      throw tooLarge(`file of more than ${bounds.bytes} unpacked bytes`, 'bytes')
    if (taken.bytes > FREE_BYTES && taken.bytes > taken.packed * bounds.ratio)
      throw tooLarge(`file that unpacks to more than ${bounds.ratio} times its bytes`, 'ratio')
    yield chunk
  }
}

const tooLarge = (what: string, limit?: keyof ImportBounds): CheckpointerError =>
  new CheckpointerError(
    'TOO_LARGE',
    `A ${what} is not imported.${limit ? ` If you trust it, raise limits.${limit}.` : ''}`,
    limit ? { path: `limits.${limit}` } : {},
  )

/** As it is, or out of gzip, which begins with two bytes that no line of ours begins with. */
async function* unpacked(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first: Uint8Array[] = []
  let length = 0
  while (length < 2) {
    const next = await source.next()
    if (next.done) break
    first.push(next.value)
    length += next.value.length
  }
  const start = joined(first)
  const whole = startingWith(start, source)
  yield* start[0] === 0x1f && start[1] === 0x8b ? gunzipped(whole) : whole
}

async function* startingWith(start: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start
  yield* rest
}

async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (typeof DecompressionStream === 'undefined')
    throw new CheckpointerError('UNSUPPORTED', 'This engine cannot unpack gzip: unpack the file first.')
  try {
    yield* through(source, new DecompressionStream('gzip'), FEED)
  } catch (cause) {
    if (CheckpointerError.is(cause)) throw cause
    throw new CheckpointerError('CORRUPT', 'The file cannot be unpacked: it is damaged, or no gzip.', {
      cause,
    })
  }
}
