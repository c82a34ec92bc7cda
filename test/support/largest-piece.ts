type Method = (this: unknown, ...args: unknown[]) => unknown

/**
 * The largest text, or run of bytes, that was parsed, encoded or decoded by one call of the engine while the work was done. It is
 * what makes a stretch long, and the same however busy the machine is.
 */
export async function largestPiece(work: () => Promise<unknown>): Promise<number> {
  let largest = 0
  const saw = (value: unknown): void => {
    largest = Math.max(largest, sizeOf(value))
  }
  const restore = [
    heard(JSON, 'parse', ([text]) => saw(text)),
    heard(JSON, 'stringify', (_, text) => saw(text)),
    heard(TextDecoder.prototype, 'decode', ([bytes]) => saw(bytes)),
    heard(TextEncoder.prototype, 'encode', ([text]) => saw(text)),
    heard(TextEncoder.prototype, 'encodeInto', ([text]) => saw(text)),
    heard(globalThis, 'structuredClone', ([value]) => saw(value)),
  ]
  try {
    await work()
    return largest
  } finally {
    for (const each of restore) each()
  }
}

/** Tells of each call, and of what came of it. Gives what takes that back. */
function heard<Name extends string>(
  owner: { [name in Name]: unknown },
  name: Name,
  tell: (args: readonly unknown[], result: unknown) => void,
): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name)
  const method = owner[name] as Method
  const wrapped: Method = function (...args) {
    const result = method.apply(this, args)
    tell(args, result)
    return result
  }
  Object.defineProperty(owner, name, { ...own, value: wrapped })
  return () => void (own && Object.defineProperty(owner, name, own))
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0
}
