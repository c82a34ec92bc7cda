import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program, run, type Fixture } from '../support/ground.ts'
import { freePort } from '../../engines/support/free-port.ts'
import { visit } from '../support/visit.ts'

const LAYOUT = `export default ({ children }) => <html lang="en"><body>{children}</body></html>\n`
const PAGE = `import { Chat } from './chat'\nexport default () => <Chat />\n`
/** The consumer's code in an effect, as a client component has it. */
const chat = (code: string): string => `'use client'
import { useEffect } from 'react'
${code.replace(/^(import .*\n)[^]*$/m, '$1')}
async function main() {
${code.replace(/^import .*\n/m, '')}
}
let once
export function Chat() {
  useEffect(() => void (once ??= main()), [])
  return null
}
`

/** A client component of Next.js, built and started as its documents say. */
export const next: Fixture = async ({ folder, browser }) => {
  const app = join(folder, 'with-next')
  mkdirSync(join(app, 'app'), { recursive: true })
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'with-next', private: true }))
  writeFileSync(
    join(app, 'next.config.mjs'),
    `export default { turbopack: { root: ${JSON.stringify(app)} } }\n`,
  )
  writeFileSync(join(app, 'app/layout.jsx'), LAYOUT)
  writeFileSync(join(app, 'app/page.jsx'), PAGE)
  mkdirSync(join(app, 'public'))
  writeFileSync(join(app, 'public/favicon.ico'), '')
  writeFileSync(join(app, 'app/chat.jsx'), chat(readFileSync(join(folder, 'plain/main.js'), 'utf8')))
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  // Not with the other tools: a lock file would have to name its binaries for all platforms.
  const packages = [`../${tarball}`, 'next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...packages], app)
  const env = {
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    PATH: `${program('node-24/bin')}:${process.env['PATH']}`,
  }
  const command = join(app, 'node_modules/next/dist/bin/next')
  const node = program('node-24/bin/node')
  await run(node, [command, 'build'], app, env)
  const port = await freePort()
  const server = spawn(node, [command, 'start', '--hostname', '127.0.0.1', '--port', String(port)], {
    cwd: app,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  try {
    const url = `http://127.0.0.1:${port}/`
    for (let tries = 0; tries < 150; tries++) {
      if (
        await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        break
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await visit(browser, url)
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}
