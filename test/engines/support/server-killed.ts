import { setTimeout as sleep } from 'node:timers/promises'
import { CheckpointerError, type Storage } from 'forkpoint'
import { expect, test } from 'vitest'
import { cuttingProxy } from './cutting-proxy.ts'
import type { EngineAtWork } from './engine.ts'

const ROUNDS = 3

export const portOf = (work: EngineAtWork): number => Number(new URL(work.server).port)

/** For servers whose clients outlive them. `open` gives a storage over a port, which stays when the server has another. */
export function serverKilledLaw(work: EngineAtWork, open: (port: number) => Promise<Storage>): void {
  test('after a SIGKILL of the server in mid-commit all that was acknowledged is there, and its clients go on', async () => {
    const proxy = await cuttingProxy(portOf(work))
    const storage = await open(proxy.port)
    let acknowledged = 0
    for (let round = 0; round < ROUNDS; round++) {
      const begin = acknowledged
      let isOver = false
      const writing = (async () => {
        for (let n = begin + 1; !isOver; n++) {
          await storage.commit('p', {
            puts: [{ table: 'checkpoints', key: ['l', n], head: String(n), body: new Uint8Array(5000) }],
          })
          acknowledged = n
        }
      })().catch((error: unknown) => error)
      while (acknowledged < begin + 3) await sleep(10)
      await sleep(50 * round)
      await work.killServer()
      proxy.target = portOf(work)
      isOver = true
      // Some clients wait until there is a server again, and are told of no failure.
      const failure = await writing
      if (failure) expect(CheckpointerError.is(failure) && failure.code).toMatch(/FAILED|BLOCKED/)
      const [rows = []] = await storage.read('p', [{ table: 'checkpoints', from: ['l'], to: ['m'] }])
      const found = rows.map(({ key }) => key[1] as number)
      expect(found).toEqual(found.map((_, i) => i + 1))
      expect(found.length).toBeGreaterThanOrEqual(acknowledged)
      expect(found.length).toBeLessThanOrEqual(acknowledged + 1)
      acknowledged = found.length
    }
    await storage.close()
    await proxy.close()
  }, 120_000)
}
