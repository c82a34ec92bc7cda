import { tool } from './ground.ts'

interface Workerd {
  readonly ready: Promise<URL>
  dispose(): Promise<void>
}
interface Tool {
  readonly Miniflare: new (options: object) => Workerd
}

/** Of each binding, its class. */
export type Objects = Readonly<Record<string, { readonly className: string; readonly useSQLite: boolean }>>

/** Runs a Worker while something is done with its address. */
export async function inWorkerd(
  { script, durableObjects }: { readonly script: string; readonly durableObjects: Objects },
  use: (url: URL) => Promise<void>,
): Promise<void> {
  const { Miniflare } = await tool<Tool>('miniflare')
  const engine = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-04-01',
    host: '127.0.0.1',
    port: 0,
    durableObjects,
  })
  try {
    await use(await engine.ready)
  } finally {
    await engine.dispose()
  }
}
