import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Redis } from 'ioredis'

/**
 * Stands for Upstash in front of a Redis: a command as JSON, or several that were put together, and what is text in an
 * answer as base64 when asked for.
 */
export async function upstashProxy(redis: Redis): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const isBase64 = request.headers['upstash-encoding'] === 'base64'
    const run = async (asked: readonly unknown[]): Promise<object> => {
      const [command = '', ...args] = asked.map(String)
      return redis.callBuffer(command, ...args).then(
        (result) => ({ result: answered(result, isBase64) }),
        (error: Error) => ({ error: error.message }),
      )
    }
    void json(request)
      .then((asked) => {
        const commands = asked as readonly unknown[]
        return request.url?.endsWith('/pipeline')
          ? Promise.all(commands.map((command) => run(command as readonly unknown[])))
          : run(commands)
      })
      .then((answer) =>
        response
          .writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer)),
      )
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

function answered(value: unknown, isBase64: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => answered(each, isBase64))
  return Buffer.isBuffer(value) ? value.toString(isBase64 ? 'base64' : 'utf8') : value
}
