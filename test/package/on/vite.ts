import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as ViteModule from 'vite'
import type { Fixture, Ground } from '../support/ground.ts'
import { visit } from '../support/visit.ts'

type Vite = typeof ViteModule

const loaded = ({ folder }: Ground): Promise<Vite> =>
  import(pathToFileURL(join(folder, 'node_modules/vite/dist/node/index.js')).href)

const common = (folder: string) => ({ root: folder, configFile: false, logLevel: 'error' }) as const

export const dev: Fixture = async (ground) => {
  const server = await (
    await loaded(ground)
  ).createServer({
    ...common(ground.folder),
    server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
  })
  try {
    await server.listen()
    await visit(ground.browser, server.resolvedUrls?.local[0])
  } finally {
    await server.close()
  }
}

/** A build of Vite, served with these headers. Leaves the build behind. */
const builtUnder =
  (headers: Readonly<Record<string, string>>): Fixture =>
  async (ground) => {
    const vite = await loaded(ground)
    await vite.build(common(ground.folder))
    const preview = { host: '127.0.0.1', port: 0, headers }
    const server = await vite.preview({ ...common(ground.folder), preview })
    try {
      await visit(ground.browser, server.resolvedUrls?.local[0])
    } finally {
      await server.close()
    }
  }

/** One file, as a service worker cannot import() anything. */
export async function buildServiceWorker(ground: Ground, outDir: string): Promise<void> {
  const output = { entryFileNames: 'service-worker.js', codeSplitting: false }
  const rolldownOptions = { input: join(ground.folder, 'service-worker.ts'), output }
  const build = { outDir, emptyOutDir: false, copyPublicDir: false, rolldownOptions }
  await (await loaded(ground)).build({ ...common(ground.folder), build })
}

export const strict = builtUnder({
  'Content-Security-Policy': "default-src 'self'; worker-src 'self'",
})

export const isolated = builtUnder({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
})
