import { join } from 'node:path'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { rolldown } from 'rolldown'
import { doors, root } from '../../../scripts/doors.ts'
import { given, ready } from '../support/host.ts'

type Bindings = Partial<Omit<MiniflareOptions, 'modules' | 'script' | 'workers'>>

/** Runs a worker in workerd, whose data is in the folder that was given. */
export async function inWorkerd(worker: string, bindings: Bindings): Promise<void> {
  const { url, end } = await startWorkerd(worker, {
    durableObjectsPersist: join(given, 'do'),
    d1Persist: join(given, 'd1'),
    ...bindings,
  })
  ready(url, end)
}

export async function startWorkerd(
  worker: string,
  bindings: Bindings,
): Promise<{ readonly url: string; end(): Promise<void> }> {
  const miniflare = new Miniflare({
    modules: true,
    script: await bundled(worker),
    compatibilityDate: '2026-04-01',
    host: '127.0.0.1',
    port: 0,
    ...bindings,
  } as MiniflareOptions)
  return { url: (await miniflare.ready).origin, end: () => miniflare.dispose() }
}

export async function bundled(input: string): Promise<string> {
  const alias = Object.fromEntries(doors.map(({ name, source }) => [`${name}$`, join(root, source)]))
  const bundle = await rolldown({
    input,
    platform: 'browser',
    external: /^(cloudflare|node):/,
    resolve: { alias },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}
