import { fileURLToPath } from 'node:url'
import { rolldown, type RolldownPlugin } from 'rolldown'
import type { Plugin } from 'vitest/config'
import { aliases } from '../../scripts/doors.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The script of a page as one file, as a bundler gives it: `…/page.ts?page_file`. Served module by module it takes hundreds of
 * requests to load one, and tests of what is there after a reload load one again and again.
 */
export function bundledPages(): Plugin {
  const bundled = new Map<string, Promise<string>>()
  return {
    name: 'forkpoint-bundled-pages',
    configureServer(server) {
      server.watcher.on('change', () => bundled.clear())
      server.middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
        if (!searchParams.has('page_file')) return next()
        const code = bundled.get(pathname) ?? bundle(ROOT + pathname.slice(1))
        bundled.set(pathname, code)
        code.then((text) => {
          response.setHeader('content-type', 'text/javascript')
          response.end(text)
        }, next)
      })
    },
  }
}

const aliased: RolldownPlugin = {
  name: 'forkpoint-doors-of-bundled-pages',
  resolveId: (id) => aliases.find(({ find }) => find.test(id))?.replacement,
}

/** The worker is served beside it, in one file as well: see bundled-worker.ts. */
const worker: RolldownPlugin = {
  name: 'forkpoint-worker-of-bundled-pages',
  transform(code, id) {
    return id.endsWith('/src/worker/start.ts')
      ? code.replace(
          `new URL('./worker.ts', import.meta.url)`,
          `'/src/worker/worker.ts?worker_file&type=module'`,
        )
      : undefined
  },
}

async function bundle(input: string): Promise<string> {
  const bundle = await rolldown({
    input,
    // That directives of libraries for servers are dropped.
    logLevel: 'silent',
    platform: 'browser',
    plugins: [aliased, worker],
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}
