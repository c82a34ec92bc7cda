/** `npm run build:extension`: the demo's extension, for Chromium and for Firefox, each in a folder that loads as it is. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type InlineConfig } from 'vite'
import { aliases, root } from './doors.ts'

interface Manifest {
  readonly background?: { readonly service_worker?: string; readonly scripts?: readonly string[] }
  readonly content_scripts?: readonly { readonly js: readonly string[] }[]
}

export interface ExtensionOptions {
  /** Holds the manifest, the pages and, as TypeScript, the scripts that the manifest names. */
  readonly folder: string
  readonly outDir: string
  /** The manifest's file, where there is one for each browser. */
  readonly manifest?: string
}

/** Builds an extension with Vite. What can import nothing later, its service worker and content scripts, is one file each. */
export async function buildExtension({ folder, outDir, manifest = 'manifest.json' }: ExtensionOptions) {
  const { background = {}, content_scripts: contents = [] } = JSON.parse(
    readFileSync(join(folder, manifest), 'utf8'),
  ) as Manifest
  const pages = readdirSync(folder).filter((name) => name.endsWith('.html'))
  await build(of(folder, outDir, { emptyOutDir: true, rolldownOptions: { input: inside(folder, pages) } }))
  const backgrounds = [background.service_worker ?? [], background.scripts ?? []].flat()
  for (const script of [...backgrounds, ...contents.flatMap(({ js }) => js)]) {
    const isModule = backgrounds.includes(script)
    await build(
      of(folder, outDir, {
        emptyOutDir: false,
        copyPublicDir: false,
        rolldownOptions: {
          input: join(folder, script.replace(/\.js$/, '.ts')),
          output: { entryFileNames: script, codeSplitting: false, format: isModule ? 'es' : 'iife' },
          // A content script is no module, and starts no worker, whose place this would tell.
          ...(isModule ? {} : { transform: { define: { 'import.meta': '{}' } } }),
        },
      }),
    )
  }
  cpSync(join(folder, manifest), join(outDir, 'manifest.json'))
}

const inside = (folder: string, names: readonly string[]): string[] => names.map((name) => join(folder, name))

const of = (folder: string, outDir: string, options: InlineConfig['build']): InlineConfig => ({
  configFile: false,
  root: folder,
  base: './',
  logLevel: 'warn',
  resolve: { alias: aliases },
  worker: { format: 'es' },
  // An extension's pages load from the disk; what preloads them would have a service worker look for a document.
  build: { outDir, target: 'es2022', modulePreload: false, minify: false, ...options },
})

if (import.meta.main) {
  const folder = join(root, 'demo/extension')
  for (const [browser, manifest] of Object.entries({
    chromium: 'manifest.json',
    firefox: 'manifest.firefox.json',
  })) {
    const outDir = resolve(root, 'dist-extension', browser)
    await buildExtension({ folder, outDir, manifest })
    console.log(`${browser}: ${outDir}`)
  }
}
