import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it } from 'vitest'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { resealed } from '../faults/support/fuzz-rows.ts'
import { typesOfRich } from '../faults/support/rich.ts'
import { factsOf, type StoredRow } from '../faults/support/rows.ts'
import { asRead, expectSame, type Read } from './as-read.ts'
import { dump } from './dump.ts'
import { fillWithEverything } from './everything.ts'
import { FIXTURES } from './fixture.ts'

const reader = fileURLToPath(new URL('reader.py', import.meta.url))
const fixture = (name: string, ending: string): string =>
  readFileSync(new URL(`../fixtures/format-${name}.${ending}`, import.meta.url), 'utf8').trimEnd()

function python(input: string): { readonly out: string; readonly error: string } {
  const ran = spawnSync('python3', ['-B', reader], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (ran.error)
    throw new Error('The second reader needs python3: install it (apt-get install python3).', {
      cause: ran.error,
    })
  return { out: ran.stdout, error: ran.stderr }
}

function readBySecond(lines: string): Read {
  const { out, error } = python(lines)
  expect(error).toBe('')
  return JSON.parse(out) as Read
}

describe('a reader in another language, written from docs/format.md,', () => {
  it('reads the same', async () => {
    const storage: Storage = Object.assign(memoryStorage(), { close: async () => {} })
    const open = (options = {}) =>
      openCheckpointer({ name: 'rich', storage, onWarning: () => {}, ...options })
    const end = await fillWithEverything({ open, storage: () => storage })
    const checkpointer = await open({ types: typesOfRich })
    expectSame(readBySecond(await dump(storage)), await asRead(checkpointer))
    await checkpointer.close()
    await end()
  })

  it.each(FIXTURES)('reads the database of a real browser, of format %s', (name) => {
    expectSame(readBySecond(fixture(name, 'jsonl')), JSON.parse(fixture(name, 'states.json')) as Read)
  })

  const lines = fixture(String(CURRENT_FORMAT), 'jsonl').split('\n')

  /** The lines with another one in place of the first that has this. */
  function changed(has: string, change: (line: string) => string): string {
    const at = lines.findIndex((line) => line.includes(has))
    expect(at).toBeGreaterThanOrEqual(0)
    return lines.with(at, change(lines[at] as string)).join('\n')
  }

  /** With other facts, and a sum that fits. */
  const withFacts = (line: string, change: (facts: Record<string, unknown>) => object): string => {
    const { body, ...row } = JSON.parse(line) as StoredRow & { readonly body?: string }
    const bytes = body === undefined ? {} : { body: new Uint8Array(Buffer.from(body, 'base64')) }
    const { head } = resealed({ ...row, ...bytes } as StoredRow, change(factsOf(row)))
    return JSON.stringify({ ...row, head, ...(body === undefined ? {} : { body }) })
  }

  it('refuses a dump in which one character was changed', () => {
    const other = changed('"checkpoints"', (line) => line.replace('createdAt', 'createdAu'))
    expect(python(other).error).toContain('does not fit its sum')
  })

  it('refuses facts of another shape, and takes those of a later version', () => {
    const frame = changed('"checkpoints"', (line) => withFacts(line, (facts) => ({ ...facts, extra: 7 })))
    expect(python(frame).error).toContain('facts that it cannot have')
    const lane = changed('["lane"', (line) => withFacts(line, () => ({})))
    expect(python(lane).error).toContain('facts that it cannot have')
    const later = changed('"checkpoints"', (line) => withFacts(line, (facts) => ({ ...facts, later: 7 })))
    expect(readBySecond(later)).toEqual(readBySecond(lines.join('\n')))
  })

  it('passes over a row of a later format, and what stands on it', () => {
    const all = readBySecond(lines.join('\n'))
    const some = readBySecond(
      changed('"checkpoints"', (line) => line.replace(/"head":"1\.[0-9a-f]{8}/, '"head":"2.00000000')),
    )
    expect(Object.keys(some).sort()).not.toEqual([])
    const count = (read: Read): number => JSON.stringify(read).length
    expect(count(some)).toBeLessThan(count(all))
    for (const id of ['kinds', 'large']) expect(some[id]).toEqual(all[id])
  })

  const document = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8')
  const [, block = ''] = /^```json versions\n([\s\S]*?)^```$/m.exec(document) ?? []
  const said = JSON.parse(block) as { readonly allows: string; readonly head: string }[]

  it.each(said)('is allowed $allows by $head', ({ allows, head }) => {
    const other = changed('["database"', (line) => JSON.stringify({ ...(JSON.parse(line) as object), head }))
    if (allows === 'nothing') expect(python(other).error).toContain('a later version alone')
    else expect(readBySecond(other)).toEqual(readBySecond(lines.join('\n')))
  })
})
