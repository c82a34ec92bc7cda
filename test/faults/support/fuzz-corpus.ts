import { gzipSync } from 'node:zlib'
import { openCheckpointer, type TypeRegistration } from '../../../src/index.ts'
import { murmur3 } from '../../../src/operations/rows/checksum.ts'
import { createCodec } from '../../../src/state/codec.ts'
import type { Json } from '../../../src/state/json.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mutated, mutatedBytes, pick, type Random } from './mutate.ts'

class Point {
  x = 1
  y = new Map([['deep', new Set([1n])]])
}

export const TYPES: readonly TypeRegistration[] = [
  { name: 'Point', class: Point },
  {
    name: 'locale',
    isApplicable: (value) => value instanceof Intl.Locale,
    serialize: String,
    deserialize: (stored) => (stored === 'de' ? new Intl.Locale('de') : stored),
  },
]

const circle: Record<string, unknown> = { n: 1 }
circle['me'] = [circle, new Map([[circle, circle]])]

function withHoles(): unknown[] {
  const list: unknown[] = []
  list[1] = 'x'
  list[5] = 1
  return list
}

const VALUES: readonly unknown[] = [
  { messages: ['Plan a trip', 'To Lisbon?'], n: 1, deep: { a: { b: [1, { c: null }] } } },
  {
    when: new Date(0),
    never: new Date(Number.NaN),
    of: /a/g,
    where: new URL('https://a.example'),
    no: undefined,
  },
  { big: 12n, nan: Number.NaN, zero: -0, bytes: new Uint8Array([1, 2, 3]), floats: new Float64Array([1]) },
  {
    map: new Map<unknown, unknown>([
      ['k', { v: 1 }],
      [{}, 2],
    ]),
    set: new Set([1, 'x']),
    holes: withHoles(),
  },
  { error: Object.assign(new TypeError('no'), { at: 7, cause: new Error('why') }), point: new Point() },
  {
    locale: new Intl.Locale('de'),
    circle,
    bare: Object.assign(Object.create(null), { a: 1 }),
    '\n': { $fp: 1 },
  },
]

/** Encoded states with every kind of box in them. */
export const STATES: readonly Json[] = VALUES.map((value) => createCodec(TYPES).capture(value).state)

interface SourceFile {
  readonly bytes: Uint8Array
  readonly lines: readonly Record<string, unknown>[]
}

/** A few exports: of all there can be in a file, small enough to import thousands of times. */
export async function sourceFiles(): Promise<readonly SourceFile[]> {
  const checkpointer = await openCheckpointer({ name: 'source', storage: memoryStorage(), types: TYPES })
  const origin = checkpointer.thread<unknown>('origin')
  for (const [i, value] of VALUES.entries())
    await origin.save(value, { node: 'n', step: i, extra: { value } })
  const talk = checkpointer.thread<{ list: string[] }>('talk')
  for (let i = 0; i < 6; i++) await talk.save({ list: Array.from({ length: i }, (_, j) => `line ${j}`) })
  const fork = await talk.fork({ at: 4, as: 'fork', edit: (draft) => void draft.list.push('!') })
  await fork.save({ list: ['a'] })
  await talk.deleteCheckpoints([2])
  await fork.deleteCheckpoints([3])
  await fork.putWrites(4, 'task', [{ channel: 'c', value: VALUES[3] }])
  await checkpointer.thread('talk', { namespace: 'sub' }).save(1)
  const files: SourceFile[] = []
  for (const ids of [undefined, ['fork'], ['origin'], ['talk', 'fork']]) {
    const pieces: Uint8Array[] = []
    for await (const piece of checkpointer.export(ids)) pieces.push(piece)
    const bytes = new Uint8Array(Buffer.concat(pieces))
    const texts = Buffer.from(bytes).toString().trimEnd().split('\n')
    files.push({ bytes, lines: texts.map((line) => JSON.parse(line.slice(9)) as Record<string, unknown>) })
  }
  return files
}

/** One of them, changed: its bytes, its lines, or what is in the lines, with sums that fit again. */
export function mutatedFile(files: readonly SourceFile[], random: Random): Uint8Array {
  const file = pick(random, files)
  const kind = random()
  if (kind < 0.15) return mutatedBytes(file.bytes, random)
  if (kind < 0.2) return mutatedBytes(new Uint8Array(gzipSync(file.bytes)), random)
  let lines: readonly unknown[] = file.lines
  for (let times = 1 + Math.floor(random() * 2); times > 0; times--)
    lines = kind < 0.35 ? movedLines(lines, pick(random, files).lines, random) : changedLine(lines, random)
  const texts = lines.map((line) => JSON.stringify(line))
  if (kind > 0.95) return sealed(texts.map((text) => (random() < 0.1 ? twiceKeyed(text, random) : text)))
  return random() < 0.1 ? new Uint8Array(gzipSync(sealed(texts))) : sealed(texts)
}

function movedLines(lines: readonly unknown[], others: readonly unknown[], random: Random): unknown[] {
  const [at, to] = [Math.floor(random() * lines.length), Math.floor(random() * lines.length)]
  const line = lines[at]
  switch (Math.floor(random() * 5)) {
    case 0:
      return lines.toSpliced(at, 1)
    case 1:
      return lines.toSpliced(at, 0, line)
    case 2:
      return lines.toSpliced(at, 1).toSpliced(to, 0, line)
    case 3:
      return lines.toSpliced(at, 0, pick(random, others))
    default:
      return [...lines.slice(0, at), ...others.slice(Math.floor(random() * others.length))]
  }
}

const encoder = new TextEncoder()

/** A change in a line, or in the payload that it holds; of the whole state then, and its size fits. */
function changedLine(lines: readonly unknown[], random: Random): unknown[] {
  const at = Math.floor(random() * lines.length)
  const line = lines[at]
  const { body } = (line ?? {}) as { readonly body?: unknown }
  if (typeof body !== 'string' || random() < 0.4) return lines.with(at, mutated(line, random))
  let text: string
  try {
    text =
      random() < 0.8
        ? JSON.stringify(mutated(JSON.parse(body), random))
        : JSON.stringify(mutated(body, random))
  } catch {
    text = '{'
  }
  return lines.with(at, { ...(line as object), body: text, size: encoder.encode(text).length })
}

/** A key that stands twice: which JSON allows. */
const twiceKeyed = (text: string, random: Random): string =>
  text.replace(
    '{',
    `{${pick(random, ['"kind":"end"', '"__proto__":{"x":1}', '"lane":1e9', '"size":0', '"seq":-1'])},`,
  )

function sealed(texts: readonly string[]): Uint8Array {
  let sum = 0
  return encoder.encode(
    texts
      .map((text) => {
        sum = murmur3(encoder.encode(text), sum)
        return `${sum.toString(16).padStart(8, '0')} ${text}\n`
      })
      .join(''),
  )
}
