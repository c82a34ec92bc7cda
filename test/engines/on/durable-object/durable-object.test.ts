import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemorySaver } from '@langchain/langgraph/web'
import { openCheckpointer } from 'forkpoint'
import { expect, test } from 'vitest'
import { advance, newState } from '../../../bench/agent-loop.ts'
import { stages, tell } from '../../../support/graph-story.ts'
import type { EngineAtWork } from '../../support/engine.ts'
import { here } from '../../support/here.ts'
import { start } from '../../support/process.ts'
import { engineSuite } from '../../support/suite.ts'

const STEPS = 500

engineSuite(
  {
    name: 'durable-object',
    host: [process.execPath, here(import.meta.url, 'host.ts')],
    hosts: 'one',
    databases: 'many',
  },
  billingLaws,
)

function billingLaws(work: EngineAtWork): void {
  test('500 saves bill 3 rows written a save at most, all that is done beside them included', async () => {
    const database = await work.newDatabase()
    const checkpointer = await openCheckpointer({ name: 'billed', storage: await work.open(database) })
    const thread = checkpointer.thread('agent')
    const before = await rowsWritten(work.address(database))
    const state = newState()
    for (let step = 0; step < STEPS; step++) {
      advance(state, step)
      await thread.save(state)
    }
    await checkpointer.close()
    const rows = (await rowsWritten(work.address(database))) - before
    console.log(`${rows} rows written for ${STEPS} saves: ${rows / STEPS} a save`)
    expect(rows / STEPS).toBeLessThanOrEqual(3)
  }, 120_000)
}

test('the example of the documents runs in an object as it stands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-engine-'))
  const example = await start(process.execPath, [here(import.meta.url, 'example.ts'), folder])
  try {
    const asked = async (note: string): Promise<unknown> =>
      (await fetch(`${example.url}/?thread=t&note=${note}`)).json()
    expect(await asked('one')).toEqual({ seq: 1, notes: ['one'] })
    expect(await asked('two')).toEqual({ seq: 2, notes: ['one', 'two'] })
  } finally {
    await example.kill()
    rmSync(folder, { recursive: true })
  }
}, 60_000)

test('a graph of LangGraph whose engine is killed after every stage ends as over MemorySaver', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-engine-'))
  const ideal = new MemorySaver()
  try {
    for (let stage = 0; stage < stages; stage++) {
      const engine = await start(process.execPath, [here(import.meta.url, 'graph.ts'), folder])
      try {
        const told: unknown = await (await fetch(`${engine.url}/?stage=${stage}`)).json()
        expect(told).toEqual(JSON.parse(JSON.stringify(await tell(stage, ideal))))
      } finally {
        await engine.kill()
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 300_000)

async function rowsWritten(address: string): Promise<number> {
  const response = await fetch(address)
  return ((await response.json()) as { rowsWritten: number }).rowsWritten
}
