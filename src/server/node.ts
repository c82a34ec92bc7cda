import { reportFailure } from '../errors.ts'

/** The little of Node's server that is needed, so that nothing of Node is. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  write(piece: Uint8Array): boolean
  end(): unknown
  destroy(): unknown
  once(event: 'drain', listener: () => void): unknown
  on(event: 'close', listener: () => void): unknown
  readonly destroyed: boolean
}

/** For `http.createServer`: the same handler, where requests are not those of `fetch`. */
export function nodeListener(
  handler: (request: Request) => Promise<Response>,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const gone = new AbortController()
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        gone.abort()
        resolve()
      })
    })
    try {
      const answer = await answered(handler, request, gone.signal)
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      await pour(answer, response, closed)
      response.end()
    } catch (error) {
      // Nobody waits for this: thrown on, it would end the process.
      if (!response.destroyed) reportFailure(error)
      response.destroy()
    }
  }
}

async function answered(
  handler: (request: Request) => Promise<Response>,
  incoming: NodeRequest,
  signal: AbortSignal,
): Promise<Response> {
  let request: Request
  try {
    request = asRequest(incoming, signal)
  } catch {
    return new Response(null, { status: 400 })
  }
  return handler(request)
}

function asRequest(incoming: NodeRequest, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: streamOf(incoming), duplex: 'half' } : {}
  // Which host the caller has named is of no matter here.
  return new Request(`http://localhost${url}`, { method, headers, signal, ...body })
}

function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** As fast as the other side takes it; one that has gone takes no more. */
async function pour(answer: Response, response: NodeResponse, closed: Promise<void>): Promise<void> {
  const reader = answer.body?.getReader()
  while (reader && !response.destroyed) {
    const { done, value } = await reader.read()
    if (done) return
    if (response.write(value)) continue
    const drained = new Promise<void>((resolve) => response.once('drain', resolve))
    await Promise.race([drained, closed])
  }
  await reader?.cancel().catch(() => {})
}
