import { rolldown } from 'rolldown'
import type { Plugin } from 'vitest/config'

const WORKER = 'src/worker/worker.ts'

/**
 * The worker as one file, as users get it. Served module by module it took a hundred requests to start one, and
 * the suites start hundreds: browsers then waited longer for it than a worker is waited for.
 */
export function bundledWorker(): Plugin {
  let bundled: Promise<string> | undefined
  return {
    name: 'forkpoint-bundled-worker',
    configureServer(server) {
      server.watcher.on('change', () => (bundled = undefined))
      server.middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
        if (!pathname.endsWith(WORKER) || !searchParams.has('worker_file')) return next()
        bundled ??= bundle()
        bundled.then((code) => {
          response.setHeader('content-type', 'text/javascript')
          response.end(code)
        }, next)
      })
    },
  }
}

async function bundle(): Promise<string> {
  const bundle = await rolldown({ input: WORKER, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}
