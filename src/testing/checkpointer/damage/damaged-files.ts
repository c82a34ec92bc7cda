import { expect, it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { CheckpointerError, ErrorCode } from '../../../errors.ts'
import { murmur3 } from '../../../operations/rows/checksum.ts'
import { through } from '../../../platform/through.ts'
import { bytesOf, heldIn, inPieces, pictureOf } from '../furnished.ts'
import { fill, on, range, rejection, type Fresh, type Talk } from '../ground.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A file made of these lines, with sums that fit: as one who means harm would make it. */
function sealedFile(lines: readonly unknown[]): Uint8Array {
  let sum = 0
  const text = lines.map((line) => {
    const json = typeof line === 'string' ? line : JSON.stringify(line)
    sum = murmur3(encoder.encode(json), sum)
    return `${sum.toString(16).padStart(8, '0')} ${json}\n`
  })
  return encoder.encode(text.join(''))
}

const linesOf = (file: Uint8Array): string[] => decoder.decode(file).split(/(?<=\n)/)
const parsed = (file: Uint8Array): Record<string, unknown>[] =>
  linesOf(file).map((line) => JSON.parse(line.slice(9)) as Record<string, unknown>)

/** Twenty mebibytes of one letter, as one state. */
function bomb(): Uint8Array {
  const text = 'a'.repeat(2 ** 18)
  const checkpoint = { kind: 'checkpoint', lane: 0, facts: { seq: 1, id: 'x', createdAt: 0 }, size: 2 ** 27 }
  return sealedFile([
    HEADER,
    { kind: 'family' },
    {
      kind: 'thread',
      thread: 'bomb',
      namespace: '',
      createdAt: 0,
      updatedAt: 0,
      next: 2,
      segments: [{ lane: 0 }],
    },
    { ...checkpoint, body: '"' },
    ...Array.from({ length: 80 }, () => ({ kind: 'more', body: text })),
  ])
}

const HEADER = { kind: 'forkpoint-export', version: 1, format: 1, createdAt: 0 }

/** Two threads that share rows, one that does not, and a pending write; then without them. */
async function emptied(checkpointer: Checkpointer): Promise<Uint8Array> {
  const origin = checkpointer.thread<Talk>('origin')
  await fill(origin, 3)
  await fill(await origin.fork({ at: 2, as: 'fork' }), 3, 3, 'fork')
  await origin.putWrites(3, 'task', [{ channel: 'c', value: [1] }])
  await checkpointer.thread('other').save({ n: 1 })
  const file = await bytesOf(checkpointer.export())
  for (const id of ['origin', 'fork', 'other']) await checkpointer.thread(id).delete()
  return file
}

/** Refused, and nothing of it is there. */
async function refused(
  checkpointer: Checkpointer,
  file: Uint8Array | AsyncIterable<Uint8Array>,
  code: ErrorCode,
  options: Parameters<Checkpointer['import']>[1] = {},
): Promise<CheckpointerError> {
  const before = await heldIn(checkpointer)
  const picture = await pictureOf(checkpointer)
  const importing = checkpointer.import(file instanceof Uint8Array ? inPieces(file) : file, options)
  const error = await rejection(importing, code)
  expect(await heldIn(checkpointer)).toEqual(before)
  expect(await pictureOf(checkpointer)).toEqual(picture)
  expect(Object.keys(Object.prototype)).toEqual([])
  return error
}

/** Import of files that are damaged, or that were made to do harm. */
export function damagedFileLaws(fresh: Fresh): void {
  it(
    'a file that ends early brings nothing, wherever it is cut',
    on(fresh, async (checkpointer) => {
      const lines = linesOf(await emptied(checkpointer))
      for (const count of range(1, lines.length - 1))
        await refused(checkpointer, encoder.encode(lines.slice(0, count).join('')), 'CORRUPT')
      await refused(checkpointer, encoder.encode(lines.join('').slice(0, -1)), 'CORRUPT')
      await refused(checkpointer, new Uint8Array(), 'INVALID')
      await checkpointer.import(inPieces(encoder.encode(lines.join(''))))
    }),
  )

  it(
    'a line that is missing, there twice, in another place or changed is noticed',
    on(fresh, async (checkpointer) => {
      const lines = linesOf(await emptied(checkpointer))
      for (const i of range(1, lines.length - 1)) {
        const [line, before] = [lines[i] as string, lines[i - 1] as string]
        await refused(checkpointer, encoder.encode(lines.toSpliced(i, 1).join('')), 'CORRUPT')
        await refused(checkpointer, encoder.encode(lines.toSpliced(i, 0, line).join('')), 'CORRUPT')
        if (i > 1)
          await refused(
            checkpointer,
            encoder.encode(lines.toSpliced(i - 1, 2, line, before).join('')),
            'CORRUPT',
          )
        const bytes = encoder.encode(line)
        const at = 9 + ((i * 37) % (bytes.length - 10))
        bytes[at] = (bytes[at] as number) ^ (1 << (i % 7))
        const text = [...lines.slice(0, i), decoder.decode(bytes), ...lines.slice(i + 1)].join('')
        await refused(checkpointer, encoder.encode(text), 'CORRUPT')
      }
    }),
  )

  it(
    'a file whose sums fit is believed nothing else',
    on(fresh, async (checkpointer) => {
      const lines = parsed(await emptied(checkpointer))
      const first = lines.findIndex(({ kind }) => kind === 'checkpoint')
      const thread = lines.findIndex(({ kind }) => kind === 'thread')
      const write = lines.findIndex(({ kind }) => kind === 'write')
      const delta = lines.findIndex(({ base }) => base !== undefined)
      const facts = lines[first]?.['facts'] as object
      const change = (at: number, change: object): unknown[] => lines.with(at, { ...lines[at], ...change })
      const body = (text: string) => ({ size: encoder.encode(text).length, body: text })
      const files: readonly (readonly [string, readonly unknown[]])[] = [
        ['an unknown field', change(first, { more: 1 })],
        ['an unknown kind', change(first, { kind: 'else' })],
        [
          'a field of __proto__',
          lines.with(first, JSON.stringify(lines[first]).replace('{', '{"__proto__":{"a":1},') as never),
        ],
        [
          'facts of __proto__',
          lines.with(
            first,
            JSON.stringify(lines[first]).replace('"facts":{', '"facts":{"__proto__":{"a":1},') as never,
          ),
        ],
        [
          'a next seq behind which none can be counted',
          change(thread, { next: Number.MAX_SAFE_INTEGER - 2 }),
        ],
        ['a next seq behind which no row could be read', change(thread, { next: 2 ** 50 })],
        ['a list for a line', lines.with(first, [] as never)],
        ['a first line again', lines.toSpliced(first, 0, lines[0] as never)],
        ['an id that is none', change(thread, { thread: '' })],
        ['an id that is too long', change(thread, { thread: 'x'.repeat(257) })],
        ['a thread twice', lines.toSpliced(thread, 0, lines[thread] as never)],
        ['a thread without lanes', change(thread, { segments: [] })],
        ['a lane that ends and is its own', change(thread, { segments: [{ lane: 0, to: 3 }] })],
        [
          'what is hidden out of order',
          change(thread, {
            segments: [
              {
                lane: 0,
                hide: [
                  [3, 4],
                  [1, 2],
                ],
              },
            ],
          }),
        ],
        ['a seq that is none', change(first, { facts: { ...facts, seq: -1 } })],
        ['a seq of 1e300', change(first, { facts: { ...facts, seq: 1e300 } })],
        ['a seq twice', lines.toSpliced(first, 0, lines[first] as never)],
        ['an id of a number', change(first, { facts: { ...facts, id: 7 } })],
        ['a time that is none', change(first, { facts: { ...facts, createdAt: 1e300 } })],
        [
          'extra that is no value',
          change(first, { facts: { ...facts, extra: [['a', { $fp: ['nothing'] }]] } }),
        ],
        ['a lane that nobody shows', change(first, { lane: 77 })],
        ['a base that is not there', change(delta, { base: [0, 0] })],
        ['a base in a lane that is not there', change(delta, { base: [99, 1] })],
        ['a base above', change(delta, { base: [0, 3] })],
        ['a size that is not its own', change(first, { size: 5 })],
        ['a size above its own', change(first, { size: 2 ** 20 })],
        ['a payload that is no JSON', change(first, body('{'))],
        ['a payload that is no state', change(first, body('{"$fp":["nothing"]}'))],
        ['a payload that nests without end', change(first, body('['.repeat(5000) + ']'.repeat(5000)))],
        ['a delta that is none', change(delta, body('{"a":1}'))],
        ['a delta that does not fit', change(delta, body('[["-",[],["nothing"]]]'))],
        ['a delta through a prototype', change(delta, body('[["=",["__proto__","polluted"],1]]'))],
        ['a piece of nothing', lines.toSpliced(first, 0, { kind: 'more', body: 'x' } as never)],
        ['a write of no checkpoint', change(write, { seq: 2 ** 40 })],
        ['a write at no index', change(write, { index: 2 ** 30 })],
        ['a write of no value', change(write, body('{"$fp":["ref",0]}'))],
        ['an end that counts otherwise', change(lines.length - 1, { checkpoints: 1 })],
        ['something after the end', [...lines, { kind: 'family' }]],
        ['another end', [...lines, lines.at(-1)]],
      ]
      for (const [name, file] of files)
        await refused(checkpointer, sealedFile(file), 'CORRUPT').catch((cause: unknown) => {
          throw new Error(`${name}: ${String(cause)}`, { cause })
        })
      await refused(
        checkpointer,
        sealedFile(change(first, { size: Number.MAX_SAFE_INTEGER - 3 })),
        'TOO_LARGE',
      )
      await refused(checkpointer, sealedFile(change(0, { version: 2 })), 'FORMAT_TOO_NEW')
      await refused(checkpointer, sealedFile(change(0, { format: 1000 })), 'FORMAT_TOO_NEW')
      await refused(checkpointer, sealedFile(change(0, { kind: 'other' })), 'INVALID')
      await refused(checkpointer, encoder.encode('{"messages":[]}\n'), 'INVALID')
      await checkpointer.import(inPieces(sealedFile(lines)))
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'rows that nobody shows are not kept',
    on(fresh, async (checkpointer) => {
      const origin = checkpointer.thread<Talk>('origin')
      await fill(origin, 4)
      const lines = parsed(await bytesOf(checkpointer.export()))
      await origin.delete()
      const hiding = lines.map((line) =>
        line['kind'] === 'thread' ? { ...line, segments: [{ lane: 0, hide: [[1, 3]] }] } : line,
      )
      await checkpointer.import(inPieces(sealedFile(hiding)))
      expect((await origin.load())?.seq).toBe(4)
      expect((await checkpointer.usage()).checkpoints).toBe(1)
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'a line without end, a file without end and a packed one that unpacks without end are refused',
    on(fresh, async (checkpointer) => {
      const header = sealedFile([HEADER])
      const noise = new Uint8Array(64 * 1024).fill(0x61)
      let given = 0
      async function* endless(piece: Uint8Array) {
        yield header
        for (; given < 2 ** 30; given += piece.length) yield piece
      }
      await refused(checkpointer, endless(noise), 'TOO_LARGE')
      expect(given).toBeLessThan(2 ** 23)
      const lines = sealedFile([{ kind: 'family' }])
      await refused(checkpointer, endless(new Uint8Array(2 ** 20)), 'TOO_LARGE', {
        limits: { bytes: 2 ** 20 },
      })
      await refused(checkpointer, endless(lines), 'CORRUPT', { limits: { lines: 100 } })
      const many = Array.from({ length: 50 }, () => ({ kind: 'family' }))
      await refused(checkpointer, sealedFile([HEADER, ...many]), 'TOO_LARGE', { limits: { lines: 20 } })
      const packed = await bytesOf(through(inPieces(bomb(), 2 ** 20), new CompressionStream('gzip'), 2 ** 16))
      expect(packed.length).toBeLessThan(2 ** 16)
      expect(await refused(checkpointer, packed, 'TOO_LARGE')).toMatchObject({ path: 'limits.ratio' })
    }),
  )

  it(
    'a packed file that is damaged is refused',
    on(fresh, async (checkpointer) => {
      await fill(checkpointer.thread<Talk>('t'), 10)
      const file = await bytesOf(checkpointer.export('t', { compress: true }))
      for (const at of [10, Math.floor(file.length / 2), file.length - 5]) {
        const other = file.slice()
        other[at] = (other[at] as number) ^ 0x40
        await refused(checkpointer, other, 'CORRUPT', { onConflict: 'rename' })
      }
      await refused(checkpointer, file.slice(0, file.length / 2), 'CORRUPT', { onConflict: 'rename' })
      await refused(checkpointer, file.slice(0, 2), 'CORRUPT')
    }),
  )
}
