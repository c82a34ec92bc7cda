import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { filesStorage } from 'forkpoint/storage/files'
import { nodePostgres, postgresStorage } from 'forkpoint/storage/postgres'
import { ioredis, redisStorage } from 'forkpoint/storage/redis'
import { denoKvStorage } from 'forkpoint/storage/deno-kv'
import { betterSqlite3, bunSqlite, d1, nodeSqlite, sqliteStorage } from 'forkpoint/storage/sqlite'

const wrong: readonly (readonly [what: string, make: () => unknown])[] = [
  ['a database in place of a driver', () => sqliteStorage(new DatabaseSync(':memory:') as never)],
  ['a path in place of a driver', () => sqliteStorage('a.db' as never)],
  ['a path in place of a database', () => nodeSqlite('a.db' as never)],
  ['nothing in place of a database', () => bunSqlite(undefined as never)],
  ['a class in place of a database', () => betterSqlite3(class {} as never)],
  ['an environment in place of its binding', () => d1({ DB: {} } as never)],
  ['a pool in place of a driver', () => postgresStorage({ connect() {} } as never)],
  ['a client in place of a driver of Redis', () => redisStorage({ eval() {} } as never)],
  ['a path in place of Deno KV', () => denoKvStorage(':memory:' as never)],
  ['a folder without a file system', () => filesStorage('threads' as never, 'threads')],
  ['a file system without a folder', () => filesStorage({ open() {}, rename() {}, mkdir() {} } as never, '')],
]

it.each(wrong)('%s is refused where it is given, with what is wanted', (_, make) => {
  expect(make).toThrow(
    expect.objectContaining({ code: 'INVALID', message: expect.stringMatching(/must be (a|an|node)/) }),
  )
})

it('what the drivers make is taken', () => {
  expect(() => sqliteStorage(nodeSqlite(new DatabaseSync(':memory:') as never))).not.toThrow()
  expect(() => postgresStorage(nodePostgres({ query: async () => ({ rows: [] }) }))).not.toThrow()
  expect(() =>
    redisStorage(ioredis({ evalsha: async () => null, eval: async () => null } as never)),
  ).not.toThrow()
})
