import { expect, it } from 'vitest'
import { fromBytes, toBytes } from '../../src/state/json-bytes.ts'

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 128)

it('a few characters beyond ASCII are escaped, many are not, and all come back', () => {
  const few = { text: `${'plain words '.repeat(50)}— “é” 💡` }
  const many = { text: 'これは長い文章です。'.repeat(50) }
  expect(isAscii(toBytes(few))).toBe(true)
  expect(isAscii(toBytes(many))).toBe(false)
  for (const value of [few, many, { '\ud800': '\udfff' }, [], 'é', null])
    expect(fromBytes(toBytes(value))).toEqual(value)
})

it('text that is no JSON, and bytes that are no text, are refused', () => {
  expect(() => fromBytes(new Uint8Array([123]))).toThrow(expect.objectContaining({ code: 'CORRUPT' }))
  expect(() => fromBytes(new Uint8Array([0x22, 0xff, 0x22]))).toThrow(
    expect.objectContaining({ code: 'CORRUPT' }),
  )
})
