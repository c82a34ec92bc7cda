/** What Vite does not do by itself: the policy of the page, and a service worker that knows every file of it. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'
import { policy } from './policy.ts'

export function chatPlugin(folder: string): Plugin {
  let isDev = false
  return {
    name: 'forkpoint-chat',
    configResolved({ command }) {
      isDev = command === 'serve'
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replace('%POLICY%', policy(isDev)),
    },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const hash = createHash('sha256')
        const built = Object.values(bundle).map((file) => {
          hash.update(file.fileName).update(file.type === 'chunk' ? file.code : file.source)
          return file.fileName
        })
        const fixed = readdirSync(join(folder, 'public'))
        for (const name of fixed) hash.update(name).update(readFileSync(join(folder, 'public', name)))
        const files = ['./', ...[...built, ...fixed].filter((name) => name !== 'index.html')]
        const precache = { version: hash.digest('hex').slice(0, 16), files }
        this.emitFile({
          type: 'asset',
          fileName: 'sw.js',
          source: await serviceWorker(join(folder, 'offline/sw.ts'), precache),
        })
      },
    },
  }
}

/** One classic script: browsers differ in whether a service worker may be a module. */
async function serviceWorker(input: string, precache: object): Promise<string> {
  const bundle = await rolldown({ input, transform: { define: { PRECACHE: JSON.stringify(precache) } } })
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}
