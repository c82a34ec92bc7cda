import * as fs from 'node:fs/promises'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckpointerError, Storage } from 'forkpoint'
import { filesStorage } from 'forkpoint/storage/files'
import { afterAll, beforeAll, expect, it } from 'vitest'

const LOG = 'family-p.jsonl'
const COMMITS = 4
const everything = (['threads', 'checkpoints', 'meta'] as const).map((table) => ({
  table,
  from: [],
  to: ['~'],
}))

const root = mkdtempSync(join(tmpdir(), 'forkpoint-torn-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let whole = Buffer.alloc(0)
/** What was there after each commit, and how long the log was. */
const after: { readonly rows: unknown; readonly size: number }[] = []

beforeAll(async () => {
  const folder = join(root, 'whole')
  const storage = filesStorage(fs, folder)
  for (let n = 1; n <= COMMITS; n++) {
    await storage.commit('p', {
      puts: [
        { table: 'threads', key: ['p', ''], head: `thread ${n}`, rank: n },
        {
          table: 'checkpoints',
          key: ['l', n],
          head: `${n}`,
          alias: ['l', `i${n}`],
          body: Buffer.from(`{"n":${n}}`),
        },
      ],
    })
    after.push({ rows: await rowsOf(storage), size: readFileSync(join(folder, LOG)).length })
  }
  await storage.close()
  whole = readFileSync(join(folder, LOG))
})

it('a log that is cut anywhere is what it was after its last whole line, tells, and goes on', async () => {
  const from = (after[COMMITS - 3] as { size: number }).size
  for (let size = from; size <= whole.length; size++) {
    const { storage, told, folder } = opened(whole.subarray(0, size))
    const kept = after.findLast((each) => each.size <= size) as (typeof after)[number]
    expect(await rowsOf(storage), `cut at ${size}`).toEqual(kept.rows)
    expect(
      told.map(({ code }) => code),
      `cut at ${size}`,
    ).toEqual(size === kept.size ? [] : ['CORRUPT'])
    if (size !== kept.size) expect(asideIn(folder)).toEqual([whole.subarray(kept.size, size).toString()])
    await goesOn(storage, folder)
  }
}, 240_000)

it('a log that is cut in its first lines is empty, or what it was', async () => {
  for (const size of [0, 1, 17, 40, 90, 110, (after[0] as { size: number }).size - 1]) {
    const { storage, told, folder } = opened(whole.subarray(0, size))
    expect(await rowsOf(storage), `cut at ${size}`).toEqual([[], [], []])
    expect(told.length).toBe(size === 0 ? 0 : 1)
    await goesOn(storage, folder)
  }
})

it('no byte that has changed is read in silence, wherever it is', async () => {
  for (let at = 0; at < whole.length; at++) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] as number) ^ (1 << (at % 8))
    const { storage, told, folder } = opened(bytes)
    const found = (await rowsOf(storage)) as readonly (readonly unknown[])[]
    const written = after.map(({ rows }) => rows as readonly (readonly unknown[])[])
    for (const [table, rows] of found.entries())
      for (const row of rows) expect(written.flatMap((each) => each[table])).toContainEqual(row)
    expect(told.length, `byte ${at}`).toBeGreaterThan(0)
    expect(asideIn(folder).length).toBeGreaterThan(0)
    await storage.close()
  }
}, 240_000)

it('a line that is missing, or there twice, is told', async () => {
  const lines = whole.toString().trimEnd().split('\n')
  const damages = [lines.toSpliced(2, 1), lines.toSpliced(3, 0, lines[2] as string), lines.toSpliced(0, 1)]
  for (const damage of damages) {
    const { storage, told } = opened(Buffer.from(damage.join('\n') + '\n'))
    expect(((await rowsOf(storage)) as unknown[][])[0]).toMatchObject([{ head: `thread ${COMMITS}` }])
    expect(told.map(({ code }) => code)).toEqual(['DATA_LOSS'])
    await storage.close()
  }
})

it('what changes on the disk while the log is open is CORRUPT, and afterwards set aside', async () => {
  const { storage, told, folder } = opened(whole)
  await rowsOf(storage)
  const bytes = Buffer.from(whole)
  bytes.write('x', (after[1] as { size: number }).size + 60)
  writeFileSync(join(folder, LOG), bytes)
  await expect(rowsOf(storage)).rejects.toMatchObject({ code: 'CORRUPT' })
  await storage.close()
  const again = filesStorage(fs, folder, { onWarning: (warning) => told.push(warning) })
  expect(((await rowsOf(again)) as unknown[][])[1]).toHaveLength(COMMITS - 1)
  expect(told.map(({ code }) => code)).toEqual(['DATA_LOSS'])
  await again.close()
})

it('a log that was given the name of another is refused', async () => {
  const { storage, folder } = opened(whole)
  copyFileSync(join(folder, LOG), join(folder, 'family-q.jsonl'))
  await expect(storage.read('q', everything)).rejects.toMatchObject({ code: 'CORRUPT' })
  await storage.close()
})

function opened(log: Uint8Array): { storage: Storage; told: CheckpointerError[]; folder: string } {
  const folder = mkdtempSync(join(root, 'log-'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, LOG), log)
  const told: CheckpointerError[] = []
  return { storage: filesStorage(fs, folder, { onWarning: (warning) => told.push(warning) }), told, folder }
}

const rowsOf = (storage: Storage): Promise<unknown> => storage.read('p', everything)

/** What was taken out of a log, as it is kept. */
const asideIn = (folder: string): string[] =>
  readdirSync(join(folder, 'damaged')).map((name) => readFileSync(join(folder, 'damaged', name), 'utf8'))

/** One commit more goes in, and nothing is told of the log that it leaves. */
async function goesOn(storage: Storage, folder: string): Promise<void> {
  const { ok } = await storage.commit('p', { puts: [{ table: 'meta', key: ['more', ''], head: 'm' }] })
  expect(ok).toBe(true)
  const rows = (await rowsOf(storage)) as readonly unknown[]
  expect(rows.at(-1)).toMatchObject([{ key: ['more', ''] }])
  await storage.close()
  const told: CheckpointerError[] = []
  const again = filesStorage(fs, folder, { onWarning: (warning) => told.push(warning) })
  expect(await rowsOf(again)).toEqual(rows)
  expect(told).toEqual([])
  await again.close()
  rmSync(folder, { recursive: true })
}
