import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { preview } from 'vite'
import { root } from '../../../../scripts/doors.ts'

export interface ChatSite {
  readonly url: string
  /** Where the built files are. */
  readonly folder: string
  /** The scripts that pages and their workers have asked for, once each: not what is fetched ahead, for later. */
  scripts(): Set<string>
  close(): Promise<void>
}

/** Builds the demo as `npm start` does, in a process that is no test, and serves it. */
export async function serveChat(): Promise<ChatSite> {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-chat-'))
  const outDir = join(folder, 'dist')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { NODE_ENV: _ofTests, ...env } = process.env
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', outDir, '--logLevel', 'error'], {
    cwd: root,
    env,
  })
  const scripts = new Set<string>()
  const server = await preview({
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    plugins: [
      {
        name: 'scripts-asked-for',
        configurePreviewServer({ middlewares }) {
          middlewares.use(({ url: path = '', headers }, _response, next) => {
            if (['script', 'worker'].includes(String(headers['sec-fetch-dest']))) scripts.add(path.slice(1))
            next()
          })
        },
      },
    ],
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, open: false },
  })
  const url = server.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('The server does not listen.')
  return {
    url,
    folder: outDir,
    scripts: () => new Set(scripts),
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
