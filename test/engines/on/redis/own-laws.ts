import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCheckpointer } from 'forkpoint'
import { ioredis, redisStorage, type RedisDriver } from 'forkpoint/storage/redis'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { cuttingProxy } from '../../support/cutting-proxy.ts'
import type { EngineAtWork } from '../../support/engine.ts'
import { runExample } from '../../support/run-example.ts'
import { startRedis } from '../../support/redis.ts'
import { roundTripLaw } from '../../support/round-trips.ts'
import { portOf, serverKilledLaw } from '../../support/server-killed.ts'

const meta = (head: string) => ({ puts: [{ table: 'meta', key: ['law', ''], head }] }) as const
const LAW = [{ table: 'meta', keys: [['law', '']] }] as const

function connected(port: number): Redis {
  const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 5 })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return redis
}

/** A server of its own, which goes with its test. */
async function newServer(...settings: string[]): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-redis-'))
  const server = await startRedis(folder, ['--save', '', ...settings])
  onTestFinished(() => {
    server.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return connected(server.port)
}

/** What is Redis's own, beside the laws of every storage. */
export function ownLaws(work: EngineAtWork): void {
  test('the example of the documents runs as it stands', async () => {
    process.env['REDIS_URL'] = work.server
    await runExample('redis.md')
    const redis = connected(portOf(work))
    expect(await redis.zrange('{agent}:partitions', '0', '-1')).toContain('ptrip')
  })

  roundTripLaw(async () => {
    const driver = ioredis(connected(portOf(work)))
    let calls = 0
    const counting: RedisDriver = {
      run: (...args) => {
        calls++
        return driver.run(...args)
      },
    }
    return { storage: redisStorage(counting, { prefix: 'counted' }), calls: () => calls }
  })

  test('ids that are patterns, tags or markup to Redis are ids, and nothing is left of them', async () => {
    const redis = await newServer()
    const storage = redisStorage(ioredis(redis))
    const beside = redisStorage(ioredis(redis), { prefix: '*' })
    const checkpointer = await openCheckpointer({ name: 'ids', storage })
    await beside.commit('p', meta('beside'))
    const ids = [
      '*',
      '?',
      '[a-z]',
      '{other}',
      '}{',
      '\\',
      '"',
      "'",
      '\n',
      '\r\n',
      '\u0000',
      '\ud800',
      'KEYS[1]',
      ']]',
    ]
    for (const id of ids) {
      const thread = checkpointer.thread<{ id: string }>(id, { namespace: id })
      await thread.save({ id }, { id, node: id, label: id })
      expect((await thread.load(id))?.state).toEqual({ id })
    }
    for (const id of ids) await checkpointer.thread(id).delete()
    await checkpointer.close()
    const again = redisStorage(ioredis(redis))
    await again.destroy()
    const left = (await redis.keys('*')).filter((key) => !key.startsWith('{forkpoint}:done:'))
    expect(left.every((key) => key.startsWith('{*}:'))).toBe(true)
    expect((await beside.read('p', LAW))[0]).toMatchObject([{ head: 'beside' }])
  })

  test('a server that has forgotten the scripts is told them again', async () => {
    const redis = await newServer()
    const storage = redisStorage(ioredis(redis))
    for (const head of ['1', '2', '3']) {
      await storage.commit('p', meta(head))
      await redis.script('FLUSH')
      expect((await storage.read('p', LAW))[0]).toMatchObject([{ head }])
    }
  })

  test('a commit whose answer is cut off is carried out once, however often it is sent', async () => {
    const proxy = await cuttingProxy(portOf(work))
    onTestFinished(() => proxy.close())
    const redis = connected(proxy.port)
    const storage = redisStorage(ioredis(redis), { prefix: 'cut' })
    let version = ((await storage.commit('p', meta('0'))) as { version: string }).version
    for (let round = 1; round <= 20; round++) {
      proxy.cut('"checks"', 'as it is answered')
      const checks = [{ table: 'meta', key: ['law', ''], version }] as const
      const result = await storage.commit('p', { ...meta(String(round)), checks })
      expect(result).toMatchObject({ ok: true })
      version = (result as { version: string }).version
      expect((await storage.read('p', LAW))[0]).toMatchObject([{ head: String(round), version }])
    }
    proxy.cut('"checks"', 'as it is answered')
    const checks = [{ table: 'meta', key: ['law', ''], version }] as const
    const deletes = [{ table: 'meta', key: ['law', ''] }] as const
    expect(await storage.commit('p', { checks, deletes })).toMatchObject({ ok: true })
    expect(await storage.partitions({ limit: 1 })).toEqual([])
  })

  test('a commit that is never answered is told as one of unknown outcome', async () => {
    const proxy = await cuttingProxy(portOf(work))
    onTestFinished(() => proxy.close())
    const redis = new Redis(proxy.port, '127.0.0.1', { retryStrategy: () => null })
    redis.on('error', () => {})
    const storage = redisStorage(ioredis(redis), { prefix: 'unanswered' })
    await storage.commit('p', meta('before'))
    proxy.cut('"checks"', 'before it arrives')
    await expect(storage.commit('p', meta('lost'))).rejects.toMatchObject({
      code: 'FAILED',
      outcome: 'unknown',
    })
    await expect(storage.read('p', LAW)).rejects.toMatchObject({ code: 'CLOSED' })
  })

  serverKilledLaw(work, async (port) => {
    const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    return redisStorage(ioredis(redis), { prefix: 'killed' })
  })

  test('a full server is QUOTA, with nothing written, and goes on when there is room', async () => {
    const redis = await newServer('--maxmemory-policy', 'noeviction')
    const storage = redisStorage(ioredis(redis))
    await storage.commit('p', meta('first'))
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
    await redis.config('SET', 'maxmemory', String(used))
    const batch = {
      puts: [{ table: 'parts', key: ['a', 1, '', 0], head: '', body: new Uint8Array(1_000_000) }],
    } as const
    await expect(storage.commit('p', batch)).rejects.toMatchObject({ code: 'QUOTA', outcome: 'none' })
    expect((await storage.read('p', LAW))[0]).toMatchObject([{ head: 'first' }])
    await redis.config('SET', 'maxmemory', '0')
    expect(await storage.commit('p', batch)).toMatchObject({ ok: true })
  })

  test('a batch that Redis would refuse in its midst is refused whole', async () => {
    const redis = await newServer()
    const storage = redisStorage(ioredis(redis))
    const puts = [
      { table: 'meta', key: ['a', ''], head: '' },
      { table: 'threads', key: ['t', ''], head: '', rank: Number.NaN },
    ] as const
    await expect(storage.commit('p', { puts })).rejects.toMatchObject({ code: 'INVALID' })
    expect(await redis.keys('*')).toEqual([])
  })

  test('where others have stored something under the prefix, it is said, and nothing is written', async () => {
    const redis = await newServer()
    const storage = redisStorage(ioredis(redis))
    for (const key of ['{forkpoint}:heads:p', '{forkpoint}:ids:p', '{forkpoint}:partitions']) {
      await redis.flushall()
      await redis.set(key, 'mine')
      const puts = [{ table: 'checkpoints', key: ['a', 1], head: '', alias: ['a', 'id'] }] as const
      await expect(storage.commit('p', { puts })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
      expect(await redis.keys('*')).toEqual([key])
    }
  })
}
