import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Row, Storage } from 'forkpoint'
import { expect, test } from 'vitest'
import type { EngineAtWork } from '../../support/engine.ts'
import { exampleOf } from '../../support/example.ts'
import { here } from '../../support/here.ts'
import { engineSuite } from '../../support/suite.ts'

const deno = here(import.meta.url, '../../node_modules/@deno/linux-x64-glibc/deno')
const run = promisify(execFile)

engineSuite(
  {
    name: 'deno-kv',
    host: [deno, 'run', '--quiet', '--allow-all', '--unstable-kv', here(import.meta.url, 'host.ts')],
    hosts: 'many',
    databases: 'many',
  },
  sweepLaws,
)

const ROWS = 2000
const everyRow = { table: 'writes', from: ['l'], to: ['m'] } as const

function sweepLaws(work: EngineAtWork): void {
  test('a removal of more rows than one commit takes is whole, wherever it is killed', async () => {
    const database = await work.newDatabase()
    const outcomes = new Set<number>()
    for (let round = 0; round < 6; round++) {
      const storage = await work.open(database)
      await fill(storage)
      const removal = storage
        .commit('p', {
          deleteRanges: [everyRow],
          puts: [{ table: 'writes', key: ['l', 1, 'new', 0], head: '' }],
        })
        .catch(() => undefined)
      // Over the rounds it is killed before, in the midst and after.
      await Promise.race([removal, sleep(40 * round)])
      await work.kill()
      await removal
      await work.start()
      const again = await work.open(database)
      outcomes.add((await rowsOf(again)).length)
      expect(await again.partitions({ limit: 9 })).toEqual(['p'])
      await again.destroy()
      expect(await again.partitions({ limit: 9 })).toEqual([])
      await again.close()
    }
    console.log(`rows after a kill: ${[...outcomes].join(', ')}`)
    expect([...outcomes].filter((count) => count !== 1 && count !== ROWS)).toEqual([])
  }, 180_000)
}

async function fill(storage: Storage): Promise<void> {
  const { operations } = storage.limits
  for (let at = 0; at < ROWS; at += operations) {
    const puts = Array.from({ length: Math.min(operations, ROWS - at) }, (_, i) => ({
      table: 'writes' as const,
      key: ['l', 1, 'task', at + i],
      head: '',
    }))
    await storage.commit('p', { puts })
  }
}

const rowsOf = async (storage: Storage): Promise<Row[]> => (await storage.read('p', [everyRow])).flat()

test('what Deno opens is what the storage asks for, and the example of the documents runs', async () => {
  // Below this package, whose dependencies it has.
  const temp = here(import.meta.url, '../../../docs/temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'deno-'))
  try {
    const sources = here(import.meta.url, '../../../../src')
    const example = exampleOf('deno-kv.md')
      .replace(`'forkpoint/storage/deno-kv'`, JSON.stringify(`${sources}/storage/deno-kv.ts`))
      .replace(`'forkpoint'`, JSON.stringify(`${sources}/index.ts`))
      .replace('openKv()', `openKv(${JSON.stringify(join(folder, 'agent.kv'))})`)
    writeFileSync(join(folder, 'example.ts'), `${example}\nconsole.log(JSON.stringify(await thread.load()))`)
    const types = `/// <reference lib="deno.ns" />
/// <reference lib="deno.unstable" />
import { denoKvStorage } from '${sources}/storage/deno-kv.ts'
denoKvStorage(await Deno.openKv(':memory:'))
// @ts-expect-error a database is needed
denoKvStorage(await Deno.open('file'))`
    writeFileSync(join(folder, 'types.ts'), types)
    await run(deno, ['check', '--quiet', '--unstable-kv', join(folder, 'types.ts')])
    const args = ['run', '--quiet', '--allow-all', '--unstable-kv', join(folder, 'example.ts')]
    const { stdout } = await run(deno, args)
    expect(JSON.parse(stdout)).toMatchObject({ state: { found: ['a flight'] }, seq: 2 })
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 120_000)
