/**
 * `npm run demo:edge`: demo/edge/ in workerd, and its page. `-- --build` only builds the page. For tests, `--data <folder>`
 * says where the data is, and with `--until-parent` it ends with who has started it.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, preview } from 'vite'
import { tokenFor } from '../demo/edge/token.ts'
import { aliases, root } from './doors.ts'
import { SECRET } from './edge-secret.ts'

const { values } = parseArgs({
  options: {
    build: { type: 'boolean' },
    data: { type: 'string' },
    'until-parent': { type: 'boolean' },
  },
})

interface Deployed {
  readonly main: string
  readonly compatibility_date: string
  readonly durable_objects: {
    readonly bindings: readonly { readonly name: string; readonly class_name: string }[]
  }
}

/** What would be deployed is what runs here: comments, and commas at the end, are all that JSON lacks of it. */
function deployed(): Deployed {
  const text = readFileSync(join(root, 'demo/edge/wrangler.jsonc'), 'utf8')
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, '').replace(/,(?=\s*[}\]])/g, ''))
}

const page = {
  configFile: false,
  logLevel: 'warn',
  root: join(root, 'demo/edge/page'),
  resolve: { alias: aliases },
  worker: { format: 'es' },
  build: { outDir: join(root, 'dist-demo/edge'), emptyOutDir: true, target: 'es2022' },
} as const

await build(page)
if (!values.build) await serve()

async function serve(): Promise<void> {
  const installed = spawnSync(process.execPath, [join(root, 'test/engines/main.ts'), '--install'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (installed.status !== 0) throw new Error('workerd could not be installed.')
  const { startWorkerd } = await import('../test/engines/on/workerd.ts')
  const { main, compatibility_date: compatibilityDate, durable_objects: objects } = deployed()
  const worker = await startWorkerd(join(root, 'demo/edge', main), {
    compatibilityDate,
    bindings: { SECRET },
    durableObjects: Object.fromEntries(
      objects.bindings.map(({ name, class_name: className }) => [name, { className, useSQLite: true }]),
    ),
    durableObjectsPersist: values.data ?? join(root, 'dist-demo/edge-data'),
  })
  const server = await preview({
    ...page,
    preview: { host: '127.0.0.1', port: 0, proxy: { '/store': worker.url } },
  })
  const url = server.resolvedUrls?.local[0] ?? ''
  const tokens = { Ada: await tokenFor('ada', SECRET), Bob: await tokenFor('bob', SECRET) }
  console.log(JSON.stringify({ url, tokens }))
  console.log(`${url}\n  Ada: ${tokens.Ada}\n  Bob: ${tokens.Bob}`)
  const end = async (): Promise<void> => {
    await Promise.allSettled([server.close(), worker.end()])
    process.exit()
  }
  process.once('SIGINT', () => void end())
  process.once('SIGTERM', () => void end())
  if (values['until-parent']) process.stdin.resume().on('end', () => void end())
}
