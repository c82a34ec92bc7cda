import { DurableObject } from 'cloudflare:workers'
import { openCheckpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { createHandler, familiesHost } from 'forkpoint/server'
import { durableObjectStorage } from 'forkpoint/storage/durable-object'
import { tenantOf } from './token.ts'

export { Index } from './thread-index.ts'
import type { Index } from './thread-index.ts'

/** One object for each family: a thread and its forks. It is reached by the worker below, and by nobody else. */
export class Family extends DurableObject {
  readonly #answer = createHandler(
    openedOnce(() => openCheckpointer({ name: 'family', storage: durableObjectStorage(this.ctx.storage) })),
    { authorize: () => true },
  )

  override fetch(request: Request): Promise<Response> {
    return this.#answer(request)
  }
}

interface Env {
  readonly FAMILY: DurableObjectNamespace<Family>
  readonly INDEX: DurableObjectNamespace<Index>
  /** Signs tokens: `npx wrangler secret put SECRET`. */
  readonly SECRET: string
}

/** Of the tenants that were served here: which family each thread is in, so that the index is asked once. */
const known = new Map<string, Map<string, string>>()
const MOST_TENANTS = 1_000

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // Who calls is said by the token alone. What they name, threads or families, is looked up in what is theirs.
    const tenant = await tenantOf(request, env.SECRET)
    if (tenant === undefined) return new Response(null, { status: 401 })
    const handler = createHandler(() => openCheckpointer({ name: 'edge', host: storeOf(tenant, env) }), {
      // Asked for every thread. All that can be reached by this store is the tenant's own.
      authorize: async ({ request: asked }) => (await tenantOf(asked, env.SECRET)) === tenant,
    })
    return handler(request)
  },
}

function storeOf(tenant: string, { FAMILY, INDEX }: Env) {
  if (known.size >= MOST_TENANTS) known.clear()
  const ofTenant = known.get(tenant) ?? new Map<string, string>()
  known.set(tenant, ofTenant)
  return familiesHost({
    known: ofTenant,
    index: INDEX.get(INDEX.idFromName(tenant)),
    family: (name) =>
      remoteHost('https://family/', {
        fetch: (input, init) =>
          FAMILY.get(FAMILY.idFromName(JSON.stringify([tenant, name]))).fetch(input as URL, init),
      }),
  })
}

function openedOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => (opened ??= open())
}
