import type { DurableObjectNamespace, DurableObjectState } from '@cloudflare/workers-types'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { durableObjectStorage } from 'forkpoint/storage/durable-object'
import { tell } from '../../../support/graph-story.ts'

/** A graph of LangGraph in an object: a request tells one stage of its story. */
export class Graph {
  readonly #storage: DurableObjectState['storage']

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage
  }

  async fetch(request: Request): Promise<Response> {
    const checkpointer = await openCheckpointer({
      name: 'graphs',
      storage: durableObjectStorage(this.#storage),
    })
    const stage = Number(new URL(request.url).searchParams.get('stage'))
    const told = await tell(stage, new ForkpointSaver(checkpointer))
    await checkpointer.close()
    return Response.json(told)
  }
}

export default {
  fetch: ({ url }: Request, { GRAPH }: { readonly GRAPH: DurableObjectNamespace }): Promise<unknown> =>
    GRAPH.get(GRAPH.idFromName('trip')).fetch(url),
}
