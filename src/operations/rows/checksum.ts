/**
 * MurmurHash3 (x86, 32 bits): each four-byte word goes through steps that can be undone, so a change inside one
 * word always changes the sum. It is here to find damage, not to stop a forger.
 */
export function murmur3(bytes: Uint8Array, seed: number): number {
  const length = bytes.length
  const words = length >>> 2
  let hash = seed | 0
  // A view of words is several times faster than single bytes; it needs an aligned start.
  const aligned = bytes.byteOffset % 4 === 0 && littleEndian
  const wordView = aligned ? new Int32Array(bytes.buffer, bytes.byteOffset, words) : undefined
  for (let i = 0; i < words; i++) {
    const at = i << 2
    const word = wordView
      ? (wordView[i] as number)
      : (bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24)
    hash ^= mixWord(word)
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  let tail = 0
  for (let i = length - 1; i >= words << 2; i--) tail = (tail << 8) | (bytes[i] as number)
  if (length % 4 !== 0) hash ^= mixWord(tail)
  hash ^= length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

function mixWord(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51)
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
}
