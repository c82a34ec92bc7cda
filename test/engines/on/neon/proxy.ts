import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'

interface Asked {
  readonly query: string
  readonly params: unknown[]
}

/** Nothing is parsed here: what the server says as text goes on as text, as at Neon's. */
const types = { getTypeParser: () => (value: unknown) => value } as unknown as pg.CustomTypesConfig

/** Stands for Neon's proxy in front of a Postgres: the messages of its driver over HTTP, each a transaction of its own. */
export async function neonProxy(
  config: pg.PoolConfig,
): Promise<{ readonly url: string; readonly server: Server }> {
  const pool = new pg.Pool({ ...config, max: 20, types })
  pool.on('error', () => {})
  const server = createServer((request, response) => {
    const send = (status: number, answer: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    json(request)
      .then((asked) => run(pool, asked as Asked))
      .then(
        (answer) => send(200, answer),
        (error: pg.DatabaseError) => {
          const { message, code, constraint, detail, severity } = error
          send(code === undefined ? 500 : 400, { message, code, constraint, detail, severity })
        },
      )
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sql`, server }
}

async function run(pool: pg.Pool, { query, params }: Asked): Promise<object> {
  const { fields, rows, rowCount, command } = await pool.query({
    text: query,
    values: params,
    rowMode: 'array',
  })
  const told = fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }))
  return { fields: told, rows, rowCount, command, rowAsArray: true }
}
