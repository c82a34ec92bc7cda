import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { createHandler } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'

let opened: Promise<Checkpointer> | undefined

/** What each runtime serves: threads of Ada's for who says so, messages of a megabyte at most. */
export const handler = createHandler(
  () => (opened ??= openCheckpointer({ name: 'served', storage: memoryStorage() })),
  {
    authorize: ({ request, verb, thread }) =>
      request.headers.get('authorization') === 'Bearer ada' &&
      (thread === undefined ? verb === 'events' : thread.startsWith('ada/')),
    maxBytes: 1_000_000,
    onError: () => {},
  },
)

/** Without `authorize` there is no handler, wherever it runs. */
export const refusal = (() => {
  try {
    createHandler(() => openCheckpointer({ name: 'open', storage: memoryStorage() }), {} as never)
    return 'none'
  } catch (error) {
    return (error as { code?: string }).code
  }
})()

export const answered = (request: Request): Response | Promise<Response> =>
  new URL(request.url).pathname === '/refusal' ? new Response(refusal) : handler(request)
