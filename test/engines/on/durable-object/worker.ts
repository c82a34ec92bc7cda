import type { DurableObjectNamespace, DurableObjectState } from '@cloudflare/workers-types'
import { durableObjectStorage } from '../../../../src/storage/durable-object.ts'
import { serving } from '../../support/serving.ts'
import { counted } from './counted.ts'

/** One object a database, as there is one a family of threads. */
export class Family {
  readonly #answer: ReturnType<typeof serving>
  readonly #counts = { rowsWritten: 0, rowsRead: 0 }
  readonly #bytes: () => number

  constructor({ storage }: DurableObjectState) {
    this.#bytes = () => storage.sql.databaseSize
    this.#answer = serving(() => durableObjectStorage(counted(storage, this.#counts)))
  }

  async fetch(request: Request): Promise<Response> {
    if (request.method === 'GET') return Response.json({ ...this.#counts, bytes: this.#bytes() })
    return new Response(await this.#answer(new Uint8Array(await request.arrayBuffer())))
  }
}

interface Env {
  readonly FAMILY: DurableObjectNamespace
}

export default {
  fetch(request: Request, { FAMILY }: Env): Promise<unknown> {
    const name = new URL(request.url).searchParams.get('database') ?? ''
    const { url, method, body } = request
    return FAMILY.get(FAMILY.idFromName(name)).fetch(url, { method, body: body as never })
  },
}
