/** Plain values and bytes as one message: JSON, and behind it the bytes that it names by where they begin and how many. */
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const LENGTH = 4

export function encode(value: unknown): Uint8Array<ArrayBuffer> {
  const bytes: Uint8Array[] = []
  let at = 0
  const json = encoder.encode(
    JSON.stringify({ value }, (_, item: unknown) => {
      if (item === Number.POSITIVE_INFINITY) return { $: 'infinity' }
      if (!(item instanceof Uint8Array)) return item
      bytes.push(item)
      at += item.length
      return { $: [at - item.length, item.length] }
    }),
  )
  const message = new Uint8Array(LENGTH + json.length + at)
  new DataView(message.buffer).setUint32(0, json.length)
  let end = LENGTH
  for (const piece of [json, ...bytes]) {
    message.set(piece, end)
    end += piece.length
  }
  return message
}

export function decode(message: Uint8Array): unknown {
  const end = LENGTH + new DataView(message.buffer, message.byteOffset).getUint32(0)
  const json = decoder.decode(message.subarray(LENGTH, end))
  const { value } = JSON.parse(json, (_, item: unknown) => {
    const { $: stands } = (item ?? {}) as { $?: 'infinity' | readonly [number, number] }
    if (stands === undefined) return item
    if (stands === 'infinity') return Number.POSITIVE_INFINITY
    return message.slice(end + stands[0], end + stands[0] + stands[1])
  }) as { value?: unknown }
  return value
}
