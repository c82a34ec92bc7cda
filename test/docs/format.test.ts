import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import { openDB } from 'idb'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, test } from 'vitest'
import { murmur3 } from '../../src/operations/rows/checksum.ts'
import { seal } from '../../src/operations/rows/seal.ts'
import { createCodec } from '../../src/state/codec.ts'
import { fold, parseDelta } from '../../src/state/delta.ts'
import { diff } from '../../src/state/diff.ts'
import type { Json } from '../../src/state/json.ts'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { SCHEMA_VERSION } from '../../src/storage/indexeddb/schema.ts'
import { escapeId } from '../../src/storage/keys.ts'
import { TABLES, type Key, type Storage, type Table } from '../../src/storage/storage.ts'

const document = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8')
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The fenced block of this name. */
function block(name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(document)
  if (!found?.[1]) throw new Error(`docs/format.md has no block named ${name}`)
  return found[1]
}
const vectors = <T>(name: string): T => JSON.parse(block(name)) as T

/** The cells of every row of the table that has this header. */
function table(...header: string[]): string[][] {
  const [, after = ''] = document.split(
    `| ${header.join(' | ')} |\n| ${header.map(() => '---').join(' | ')} |\n`,
  )
  const rows = after.slice(0, after.indexOf('\n\n')).split('\n')
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  )
}

interface StoredRow {
  readonly partition: string
  readonly table: Table
  readonly key: Key
  readonly head: string
  readonly body?: string
}
const rows = vectors<StoredRow[]>('database')

it('is the format that the code writes', () => {
  expect(document).toContain(`# The stored format, number ${CURRENT_FORMAT}\n`)
})

test.each(Object.entries(vectors<Record<string, string>>('ids')))('the id %j', (id, escaped) => {
  expect(escapeId(id)).toBe(escaped)
})

test.each(Object.entries(vectors<Record<string, string>>('sums')))('the sum of %j', (text, sum) => {
  expect(murmur3(utf8(text), 0).toString(16).padStart(8, '0')).toBe(sum)
})

test.each(vectors<(StoredRow & { facts: object })[]>('heads'))(
  'the head $head',
  ({ partition, table, key, facts, body, head }) => {
    expect(seal(partition, table, key, facts, body === undefined ? undefined : utf8(body))).toBe(head)
  },
)

it('has the head of a part', () => {
  const body = utf8('0123456789abcdef'.repeat(2048))
  expect(`${seal('chat-42', 'parts', ['a1', 1, 'b2', 0], { at: Date.UTC(2026, 0) }, body)}\n`).toBe(
    block('part'),
  )
})

class Point {
  x: number
  constructor(x: number) {
    this.x = x
  }
}

test.each(table('value', 'encoded'))('the box of %s', (value, encoded) => {
  const codec = createCodec([
    { name: 'Point', class: Point },
    {
      name: 'locale',
      isApplicable: (live) => live instanceof Intl.Locale,
      serialize: String,
      deserialize: (stored) => new Intl.Locale(String(stored)),
    },
  ])
  const bare = (cell: string | undefined): string => (cell ?? '').slice(1, -1)
  const live = (runInThisContext(`(Point) => (${bare(value)})`) as (point: typeof Point) => unknown)(Point)
  expect(JSON.stringify(codec.capture(live).state)).toBe(bare(encoded))
  expect(codec.decode(JSON.parse(bare(encoded)) as Json)).toEqual(live)
})

describe('deltas', () => {
  const all = vectors<{ before: Json; after: Json; delta: unknown }[]>('deltas')
  test.each(all)('$delta', ({ before, after, delta }) => {
    expect(diff(before, after)).toEqual(delta)
    // As text: the order of keys counts.
    expect(JSON.stringify(fold(before, parseDelta(delta)))).toBe(JSON.stringify(after))
  })

  it('show every operation that the table has, and no other', () => {
    const shown = all.flatMap(({ delta }) => (delta as [string][]).map(([kind]) => kind))
    const named = [...document.matchAll(/^\| `\["(.+?)", path/gm)].map(([, kind]) => kind?.replace('\\', ''))
    expect(new Set(shown)).toEqual(new Set(named))
  })
})

describe('a database of versions', () => {
  interface Said {
    readonly allows: 'writing' | 'reading' | 'nothing'
    readonly head: string
  }

  test.each(vectors<Said[]>('versions'))('$head', async ({ allows, head }) => {
    const [database, ...others] = rows
    const storage = memoryStorage()
    await storage.commit('', { puts: [{ table: 'meta', key: database?.key ?? [], head }] })
    for (const row of others) await putRow(storage, row)
    const facts = JSON.parse(head.slice(head.indexOf('{'))) as object
    expect(seal('', 'meta', ['database', ''], facts)).toBe(head)
    const opening = openCheckpointer({ name: 'versions', storage, onWarning: () => {} })
    if (allows === 'nothing') return expect(opening).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
    const thread = (await opening).thread('other')
    expect((await thread.load())?.state).toEqual({ n: 1, messages: ['Plan a trip to Porto'] })
    const saving = thread.save({ n: 2 })
    if (allows === 'writing') return expect((await saving).seq).toBe(3)
    return expect(saving).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
  })
})

async function putRow(storage: Storage, { partition, table, key, head, body }: StoredRow): Promise<void> {
  const facts = JSON.parse(head.slice(head.indexOf('{'))) as { id: string; updatedAt: number }
  const more = {
    ...(body === undefined ? {} : { body: utf8(body) }),
    ...(table === 'threads' ? { rank: facts.updatedAt } : {}),
    ...(table === 'checkpoints' ? { alias: [key[0] as string, escapeId(facts.id)] } : {}),
  }
  await storage.commit(partition, { puts: [{ table, key, head, ...more }] })
}

describe('the database', () => {
  test.each(rows)('$table $key', ({ partition, table, key, head, body }) => {
    const facts = JSON.parse(head.slice(head.indexOf('{'))) as object
    expect(seal(partition, table, key, facts, body === undefined ? undefined : utf8(body))).toBe(head)
  })

  it('reads as it is said to', async () => {
    const storage = memoryStorage()
    for (const row of rows) await putRow(storage, row)
    const checkpointer = await openCheckpointer({ name: 'format', storage })
    const states: Record<string, Record<number, unknown>> = {}
    for await (const { id } of checkpointer.threads()) {
      states[id] = {}
      for await (const { seq, state } of checkpointer.thread(id).history({ states: true, order: 'oldest' }))
        states[id][seq] = state
    }
    expect(states).toEqual(vectors('states'))
    expect(await checkpointer.thread('chat 42').load()).toMatchObject({
      id: 'second',
      label: 'asked',
      extra: { at: new Date(0) },
      pendingWrites: [{ taskId: 'search 1', index: 0, channel: 'found', value: ['a'] }],
    })
    expect((await checkpointer.verify()).problems).toEqual([])
    expect((await checkpointer.thread('other').save({ n: 2 })).seq).toBe(3)
  })
})

it('describes the tables of the port', () => {
  expect(table('table', 'key', 'holds').map(([name]) => name)).toEqual(TABLES.map((name) => `\`${name}\``))
})

it('describes the stores of IndexedDB', async () => {
  const checkpointer = await openCheckpointer({ name: 'format', worker: false })
  const db = await openDB('forkpoint:format')
  expect(db.version).toBe(SCHEMA_VERSION)
  const found = [...db.objectStoreNames].map((name) => {
    const store = db.transaction(name).store
    const indexes = [...store.indexNames].map((index) => {
      const { keyPath, unique } = store.index(index)
      return `\`${index}\`: ${[keyPath].flat().join(', ')}${unique ? ' (unique)' : ''}`
    })
    return [`\`${name}\``, [store.keyPath].flat().join(', '), indexes.toSorted().toReversed().join('; ')]
  })
  expect(new Set(found)).toEqual(new Set(table('store', 'key path', 'indexes')))
  db.close()
  await checkpointer.destroy()
})
