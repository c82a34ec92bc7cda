import { CheckpointerError } from '../errors.ts'
import { joined } from '../platform/bytes.ts'

/** The whole body, unless it is larger than is taken: then no more of it is read. */
export async function bodyOf(request: Request, most: number): Promise<Uint8Array> {
  const tooLarge = (): CheckpointerError =>
    new CheckpointerError('TOO_LARGE', `This server takes messages of ${most} bytes at most.`, {
      outcome: 'none',
    })
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(brokenOff)
    if (done) return joined(pieces)
    length += value.byteLength
    if (length > most) {
      await reader.cancel().catch(() => {})
      throw tooLarge()
    }
    pieces.push(value)
  }
}

/** By whoever sends it: no failure of this side. */
function brokenOff(cause: unknown): never {
  throw new CheckpointerError('INVALID', 'The message has not come to its end.', { outcome: 'none', cause })
}
