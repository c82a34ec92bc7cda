import { engineSuite } from '../../support/suite.ts'
import { here } from '../../support/here.ts'

const host = here(import.meta.url, 'host.ts')
const binary = (name: string): string => here(import.meta.url, `../../node_modules/.bin/${name}`)

const runtimes = {
  node: [process.execPath, host],
  bun: [binary('bun'), host],
  deno: [
    here(import.meta.url, '../../node_modules/@deno/linux-x64-glibc/deno'),
    'run',
    '--quiet',
    '--allow-all',
    host,
  ],
} as const

for (const [name, command] of Object.entries(runtimes))
  engineSuite({ name: `files on ${name}`, host: command, hosts: 'many', databases: 'many' })
