import { describe, expect, it, test } from 'vitest'
import { murmur3 } from '../../src/operations/rows/checksum.ts'

const text = new TextEncoder()

/** Bytes that do not repeat soon, the same in every run. */
function noise(length: number): Uint8Array {
  let state = 1
  return Uint8Array.from({ length }, () => (state = (state * 48271) % 2147483647) & 255)
}

/** The same bytes at an offset into a larger buffer. */
function shifted(bytes: Uint8Array, offset: number): Uint8Array {
  const buffer = new Uint8Array(bytes.length + offset + 3).fill(0xaa)
  buffer.set(bytes, offset)
  return buffer.subarray(offset, offset + bytes.length)
}

describe('murmur3 (x86, 32 bits)', () => {
  test.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['a', 0x9747b28c, 0x7fa09ea6],
    ['aa', 0x9747b28c, 0x5d211726],
    ['aaa', 0x9747b28c, 0x283e0130],
    ['aaaa', 0x9747b28c, 0x5a97808a],
    ['abc', 0, 0xb3dd93fa],
    ['hello', 0, 0x248bfa47],
    ['hello, world', 0, 0x149bbb7f],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0, 0x2e4ff723],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
    ['ππππππππ', 0x9747b28c, 0xd58063c1],
  ])('of %j with seed %i', (content, seed, sum) => {
    expect(murmur3(text.encode(content), seed)).toBe(sum)
  })

  test.each([
    [[0], 0x514e28b7],
    [[0, 0], 0x30f4c306],
    [[0, 0, 0], 0x85f0b427],
    [[0, 0, 0, 0], 0x2362f9de],
    [[0xff, 0xff, 0xff, 0xff], 0x76293b50],
    [[0x21, 0x43, 0x65, 0x87], 0xf55b516b],
    [[0x21, 0x43, 0x65], 0x7e4a8634],
    [[0x21, 0x43], 0xa0f7b07a],
    [[0x21], 0x72661cf4],
  ])('of the bytes %j', (content, sum) => {
    expect(murmur3(Uint8Array.from(content), 0)).toBe(sum)
  })

  it('is the same wherever in memory the bytes are', () => {
    for (let length = 0; length < 40; length++) {
      const bytes = noise(length)
      const sums = [0, 1, 2, 3, 4, 5].map((offset) => murmur3(shifted(bytes, offset), 42))
      expect(new Set(sums).size).toBe(1)
      expect(sums[0]).toBe(murmur3(bytes, 42))
    }
  })

  it('sees every change of one byte', () => {
    for (const length of [1, 2, 3, 4, 5, 7, 8, 33, 64]) {
      const bytes = noise(length)
      const sum = murmur3(bytes, 7)
      for (let at = 0; at < length; at++) {
        for (let flip = 1; flip < 256; flip++) {
          const changed = bytes.slice()
          changed[at] = (changed[at] ?? 0) ^ flip
          if (murmur3(changed, 7) === sum) expect.unreachable(`byte ${at} of ${length} by ${flip}`)
        }
      }
    }
  })

  it('sees zeros at the end, and the seed', () => {
    const sums = Array.from({ length: 9 }, (_, length) => murmur3(new Uint8Array(length), 3))
    expect(new Set(sums).size).toBe(sums.length)
    expect(murmur3(noise(9), 1)).not.toBe(murmur3(noise(9), 2))
  })
})
