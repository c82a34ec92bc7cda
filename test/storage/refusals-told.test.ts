import { nodePostgres, postgresStorage } from 'forkpoint/storage/postgres'
import { ioredis, redisStorage } from 'forkpoint/storage/redis'
import { expect, it } from 'vitest'

const put = { puts: [{ table: 'meta', key: ['law', ''], head: '' }] } as const
const LAW = [{ table: 'meta', keys: [['law', '']] }] as const

/** A pool of `pg` that fails like this; the code is that of the server, if it was the server. */
function pool(words: string, code?: string) {
  const error = Object.assign(new Error(words), code === undefined ? {} : { code })
  return nodePostgres({
    query: async () => {
      throw error
    },
  })
}

const connection = (words: string) =>
  ioredis({
    status: 'ready',
    call: async () => {
      throw new Error(words)
    },
  })

it.each([
  ['25006', 'cannot execute INSERT in a read-only transaction', 'UNSUPPORTED', 'primary'],
  ['42501', 'permission denied for schema public', 'UNSUPPORTED', 'migrated: true'],
  ['57014', 'canceling statement due to statement timeout', 'BLOCKED', 'statement_timeout'],
  [undefined, 'timeout exceeded when trying to connect', 'BLOCKED', 'connectionTimeoutMillis'],
  [undefined, 'Connection terminated due to connection timeout', 'BLOCKED', 'connectionTimeoutMillis'],
])('what Postgres refuses is told with what to do: %s %s', async (state, words, code, told) => {
  const storage = postgresStorage(pool(words, state), { migrated: true })
  const refused = { code, outcome: 'none', message: expect.stringContaining(told) }
  await expect(storage.commit('p', put)).rejects.toMatchObject(refused)
})

it('a role that may not create the tables is told how it does without, when it opens', async () => {
  const storage = postgresStorage({
    query: ({ sql }) => {
      const [code, words] = sql.startsWith('SELECT max')
        ? ['42P01', 'no relation']
        : ['42501', 'permission denied']
      return Promise.reject(Object.assign(new Error(words), { code }))
    },
  })
  await expect(storage.read('p', LAW)).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('`migrated: true`'),
  })
})

it('a replica of Redis is told with what to do', async () => {
  const storage = redisStorage(connection("READONLY You can't write against a read only replica."))
  const refused = { code: 'UNSUPPORTED', outcome: 'none', message: expect.stringContaining('master') }
  await expect(storage.commit('p', put)).rejects.toMatchObject(refused)
})

it('what is not answered in the time that a connection has is BLOCKED, and a write may be there', async () => {
  const late = [
    postgresStorage(pool('Query read timeout'), { migrated: true }),
    redisStorage(connection('Command timed out')),
  ]
  for (const storage of late) {
    await expect(storage.read('p', LAW)).rejects.toMatchObject({ code: 'BLOCKED' })
    const unknown = { code: 'FAILED', outcome: 'unknown' }
    await expect(storage.commit('p', put)).rejects.toMatchObject(unknown)
  }
})
