import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import { nodePostgres, postgresStorage } from 'forkpoint/storage/postgres'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { cuttingProxy, type CuttingProxy } from '../../support/cutting-proxy.ts'
import type { EngineAtWork } from '../../support/engine.ts'
import { portOf, serverKilledLaw } from '../../support/server-killed.ts'

const LAW = [{ table: 'meta', keys: [['law', '']] }] as const
const meta = (head: string) => ({ puts: [{ table: 'meta', key: ['law', ''], head }] }) as const

async function behindProxy(work: EngineAtWork): Promise<{ proxy: CuttingProxy; pool: pg.Pool }> {
  const proxy = await cuttingProxy(portOf(work))
  const url = new URL(work.server)
  url.port = String(proxy.port)
  const pool = new pg.Pool({ connectionString: url.href, max: 5 })
  pool.on('error', () => {})
  onTestFinished(async () => {
    await pool.end()
    await proxy.close()
  })
  return { proxy, pool }
}

/** What becomes of a commit when the way to the server, or the server, goes in its midst. */
export function cutLaws(work: EngineAtWork): void {
  test('a commit whose answer is cut off is found, and told as what it is', async () => {
    const { proxy, pool } = await behindProxy(work)
    const storage = postgresStorage(nodePostgres(pool))
    await work.newDatabase()
    await storage.commit('p', meta('0'))
    for (let round = 1; round <= 20; round++) {
      proxy.cut('forkpoint_write', 'as it is answered')
      const result = await storage.commit('p', meta(String(round)))
      const [rows] = await storage.read('p', LAW)
      expect(rows).toMatchObject([{ head: String(round), version: (result as { version: string }).version }])
    }
  })

  test('a commit that never arrives is told as one of unknown outcome, and nothing is there', async () => {
    const { proxy, pool } = await behindProxy(work)
    const storage = postgresStorage(nodePostgres(pool))
    await work.newDatabase()
    await storage.commit('p', meta('before'))
    proxy.cut('forkpoint_write', 'before it arrives')
    const failure = await storage.commit('p', meta('lost')).catch((error: CheckpointerError) => error)
    expect(failure).toMatchObject({ code: 'FAILED', outcome: 'unknown' })
    expect((await storage.read('p', LAW))[0]).toMatchObject([{ head: 'before' }])
  })

  test('a checkpointer whose connections are cut again and again loses nothing, and saves nothing twice', async () => {
    const { proxy, pool } = await behindProxy(work)
    await work.newDatabase()
    const storage = postgresStorage(nodePostgres(pool))
    const checkpointer = await openCheckpointer({ name: 'cut', storage, onWarning: () => {} })
    const thread = checkpointer.thread<{ n: number }>('t')
    for (let n = 1; n <= 20; n++) {
      if (n > 1) proxy.cut('forkpoint_write', 'as it is answered')
      expect((await thread.save({ n })).seq).toBe(n)
    }
    expect((await checkpointer.verify()).problems).toEqual([])
    await checkpointer.close()
  })

  serverKilledLaw(work, async (port) => {
    await work.newDatabase()
    const url = new URL(work.server)
    url.port = String(port)
    const pool = new pg.Pool({ connectionString: url.href, max: 5 })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return postgresStorage(nodePostgres(pool))
  })
}
