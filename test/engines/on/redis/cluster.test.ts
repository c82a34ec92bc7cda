import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { storageSuite } from 'forkpoint/testing'
import { ioredis, redisStorage } from 'forkpoint/storage/redis'
import { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll } from 'vitest'
import { startRedis, type RedisServer } from '../../support/redis.ts'

/** One node is enough: in a cluster it refuses what spans two slots, whether another has them or not. */
let folder: string
let server: RedisServer
let cluster: Cluster
let databases = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forkpoint-redis-'))
  server = await startRedis(folder, [
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
    '--save',
    '',
  ])
  const node = new Redis(server.port, '127.0.0.1')
  await node.cluster('ADDSLOTSRANGE', 0, 16_383)
  for (let tries = 0; !(await node.cluster('INFO')).includes('cluster_state:ok') && tries < 400; tries++)
    await sleep(25)
  node.disconnect()
  cluster = new Cluster([{ host: '127.0.0.1', port: server.port }])
}, 60_000)

afterAll(() => {
  cluster.disconnect()
  server.process.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

storageSuite('a cluster', {
  async open() {
    const prefix = `db-${++databases}`
    const open = async () => redisStorage(ioredis(cluster), { prefix })
    return { storage: await open(), reopen: open, another: open }
  },
})
