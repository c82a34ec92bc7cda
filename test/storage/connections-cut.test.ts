import { neonHttp, nodePostgres, postgresStorage } from 'forkpoint/storage/postgres'
import { redisStorage, upstash } from 'forkpoint/storage/redis'
import { libsql, sqliteStorage } from 'forkpoint/storage/sqlite'
import type { Storage } from 'forkpoint'
import { expect, it } from 'vitest'

const put = { puts: [{ table: 'meta', key: ['law', ''], head: '' }] } as const
const LAW = [{ table: 'meta', keys: [['law', '']] }] as const

/** What runtimes say when a connection is cut in the midst of a request. */
const CUT = [
  // Bun
  Object.assign(
    new Error(
      'The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()',
    ),
    { code: 'ConnectionClosed' },
  ),
  // Node
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  }),
  // Deno
  new TypeError(
    'error sending request for url: client error (SendRequest): connection closed before message completed',
  ),
  // Workers
  new Error('Network connection lost.'),
]

const refusing = (error: unknown) => async (): Promise<never> => {
  throw error
}

const overHttp: readonly (readonly [string, (error: unknown) => Storage])[] = [
  [
    'Neon',
    (sourceError) => {
      const error = new Error(`Error connecting to database: ${String(sourceError)}`)
      const query = refusing(Object.assign(error, { sourceError }))
      return postgresStorage(neonHttp({ query }), { migrated: true })
    },
  ],
  ['Upstash', (error) => redisStorage(upstash({ eval: refusing(error), evalsha: refusing(error) }))],
  [
    'libSQL',
    (error) => {
      const client = { protocol: 'http', execute: refusing(error), batch: refusing(error) }
      return sqliteStorage(libsql(client), { migrated: true })
    },
  ],
]

it.each(overHttp)(
  'nobody knows whether a write was carried out whose connection was cut: %s',
  async (_name, over) => {
    for (const error of CUT) {
      const unknown = { code: 'FAILED', outcome: 'unknown' }
      await expect(over(error).commit('p', put), String(error)).rejects.toMatchObject(unknown)
      await expect(over(error).read('p', LAW), String(error)).rejects.toMatchObject({ code: 'FAILED' })
    }
  },
)

it.each([
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
  'PGlite is closed',
])('what the library did not send was not carried out: %s', async (words) => {
  const storage = postgresStorage(nodePostgres({ query: refusing(new Error(words)) }), { migrated: true })
  await expect(storage.commit('p', put)).rejects.toMatchObject({ code: 'CLOSED', outcome: 'none' })
})
