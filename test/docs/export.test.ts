import { readFileSync } from 'node:fs'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, expect, it, vi } from 'vitest'
import { EXPORT_VERSION, type ExportLine } from '../../src/operations/carry/lines.ts'
import type { Key, Storage, Table } from '../../src/storage/storage.ts'

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const document = read('export.md')

function blockOf(text: string, name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)
  if (!found?.[1]) throw new Error(`no block is named ${name}`)
  return found[1]
}

interface StoredRow {
  readonly partition: string
  readonly table: Table
  readonly key: Key
  readonly head: string
  readonly body?: string
}

/** The database of docs/format.md. */
async function exampleStorage(): Promise<Storage> {
  const storage = memoryStorage()
  for (const { partition, table, key, head, body } of JSON.parse(
    blockOf(read('format.md'), 'database'),
  ) as StoredRow[]) {
    const more = {
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
      ...(table === 'threads' ? { rank: 1 } : {}),
    }
    await storage.commit(partition, { puts: [{ table, key, head, ...more }] })
  }
  return storage
}

afterEach(() => void vi.useRealTimers())

it('the example is what the code writes', async () => {
  const checkpointer = await openCheckpointer({ name: 'export', storage: await exampleStorage() })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const parts: Uint8Array[] = []
  for await (const part of checkpointer.export()) parts.push(part)
  expect(Buffer.concat(parts).toString()).toBe(blockOf(document, 'export'))
})

it('the example reads as the database does', async () => {
  const checkpointer = await openCheckpointer({ name: 'import', storage: memoryStorage() })
  await checkpointer.import(new Blob([blockOf(document, 'export')]))
  const states: Record<string, Record<number, unknown>> = {}
  for await (const { id } of checkpointer.threads()) {
    states[id] = {}
    for await (const { seq, state } of checkpointer.thread(id).history({ states: true, order: 'oldest' }))
      states[id][seq] = state
  }
  expect(states).toEqual(JSON.parse(blockOf(read('format.md'), 'states')))
  expect((await checkpointer.verify()).problems).toEqual([])
})

it('says its version, and every kind of line', () => {
  expect(document).toContain(`# The file of an export, version ${EXPORT_VERSION}\n`)
  const kinds: Record<ExportLine['kind'], true> = {
    'forkpoint-export': true,
    family: true,
    thread: true,
    checkpoint: true,
    write: true,
    more: true,
    missing: true,
    again: true,
    end: true,
  }
  const named = [...document.matchAll(/^\| `([\w-]+)` \| (?:`|\|)/gm)].map(([, kind]) => kind)
  expect(named).toEqual(Object.keys(kinds))
})
