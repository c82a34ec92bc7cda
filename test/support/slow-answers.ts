import type { Plugin } from 'vitest/config'

/** What is asked for with `?answered_after=500` is answered as ever, so many milliseconds later. */
export function slowAnswers(): Plugin {
  return {
    name: 'forkpoint-slow-answers',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
        const after = Number(searchParams.get('answered_after') ?? 0)
        if (after === 0) return next()
        const timer = setTimeout(next, after)
        // Nobody waits for it any more.
        request.once('close', () => clearTimeout(timer))
      })
    },
  }
}
