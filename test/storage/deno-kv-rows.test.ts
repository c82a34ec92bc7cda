import { expect, it } from 'vitest'
import { rowOf } from '../../src/storage/deno-kv/stored.ts'

const entry = (value: unknown) => ({
  key: ['forkpoint', 'row', 'p', 'meta', 'family', ''],
  value,
  versionstamp: '1',
})

it('an entry of Deno KV whose body is no bytes is a row without one, and no row where its head is no text', () => {
  const row = { key: ['family', ''], head: 'h', version: '1' }
  for (const body of ['text', 5, { length: 3 }, null]) expect(rowOf(entry({ head: 'h', body }))).toEqual(row)
  const body = new Uint8Array(3)
  expect(rowOf(entry({ head: 'h', body }))).toEqual({ ...row, body })
  expect(() => rowOf(entry({ head: 5 }))).toThrow(expect.objectContaining({ code: 'CORRUPT' }) as Error)
})
