import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { tool, type Fixture, type Ground } from '../support/ground.ts'
import { pageWith, whileServed } from '../support/serve.ts'
import { visit } from '../support/visit.ts'

/** What webpack is told, and what it tells. */
interface Webpack {
  readonly default: (
    options: object,
    done: (error: Error | null, stats?: { hasErrors(): boolean; toString(): string }) => void,
  ) => { close(done: () => void): void }
}
interface Esbuild {
  build(options: object): Promise<unknown>
}
interface Rollup {
  rollup(options: object): Promise<{ write(options: object): Promise<unknown>; close(): Promise<void> }>
}

/** Finds the worker by itself. */
export const webpack: Fixture = async (ground) => {
  const { default: pack } = await tool<Webpack>('webpack')
  const path = join(ground.folder, 'with-webpack')
  await new Promise<void>((resolve, reject) => {
    const compiler = pack(
      {
        mode: 'production',
        context: ground.folder,
        entry: './plain/main.js',
        output: { path, publicPath: '/', filename: 'main.js' },
      },
      (error, stats) => {
        const failure = error ?? (stats?.hasErrors() ? new Error(stats.toString()) : undefined)
        compiler.close(() => (failure ? reject(failure) : resolve()))
      },
    )
  })
  await whileServed(path, { page: pageWith('/main.js') }, (url) => visit(ground.browser, url))
}

/** Of those who leave `new URL(…)` as it is, the worker's script is copied beside the bundle, as the README says. */
async function besideBundle({ folder, browser }: Ground, path: string): Promise<void> {
  copyFileSync(join(folder, 'node_modules/forkpoint/dist/worker/worker.js'), join(path, 'worker.js'))
  await whileServed(path, { page: pageWith('/main.js') }, (url) => visit(browser, url))
}

export const esbuild: Fixture = async (ground) => {
  const { build } = await tool<Esbuild>('esbuild')
  const path = join(ground.folder, 'with-esbuild')
  const options = { bundle: true, format: 'esm', splitting: true, minify: true, logLevel: 'silent' }
  await build({ ...options, entryPoints: [join(ground.folder, 'plain/main.js')], outdir: path })
  await besideBundle(ground, path)
}

export const rollup: Fixture = async (ground) => {
  const { rollup: roll } = await tool<Rollup>('rollup')
  const { default: resolve } = await tool<{ default: () => unknown }>('@rollup/plugin-node-resolve')
  const path = join(ground.folder, 'with-rollup')
  const bundle = await roll({ input: join(ground.folder, 'plain/main.js'), plugins: [resolve()] })
  await bundle.write({ dir: path, format: 'esm' })
  await bundle.close()
  await besideBundle(ground, path)
}
