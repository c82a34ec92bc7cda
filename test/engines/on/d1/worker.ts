import type { D1Database, DurableObjectNamespace, DurableObjectState } from '@cloudflare/workers-types'
import { d1, sqliteStorage } from '../../../../src/storage/sqlite.ts'
import { serving } from '../../support/serving.ts'

interface Env {
  readonly DB: D1Database
  readonly HOST: DurableObjectNamespace
}

/** An object keeps connections from one request to the next, which a worker by itself may not. */
export class Host {
  readonly #answer: ReturnType<typeof serving>

  constructor(_state: DurableObjectState, { DB }: Env) {
    this.#answer = serving(() => sqliteStorage(d1(DB)))
  }

  async fetch(request: Request): Promise<Response> {
    return new Response(await this.#answer(new Uint8Array(await request.arrayBuffer())))
  }
}

export default {
  fetch({ url, method, body }: Request, { HOST }: Env): Promise<unknown> {
    return HOST.get(HOST.idFromName('host')).fetch(url, { method, body: body as never })
  },
}
