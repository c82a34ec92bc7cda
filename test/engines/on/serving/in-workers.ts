import { answered } from './served.ts'

/** One object holds the store: what a worker itself holds is another one's in the next moment. */
export class Store {
  fetch(request: Request): Response | Promise<Response> {
    return answered(request)
  }
}

interface Env {
  readonly STORE: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

export default {
  fetch: (request: Request, { STORE }: Env): Promise<Response> =>
    STORE.get(STORE.idFromName('one')).fetch(request),
}
