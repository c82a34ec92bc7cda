import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, it } from 'vitest'
import { chats, composer } from './support/chats.ts'

const chat = chats()
const KB = 1024
const FIRST_LOAD = 120 * KB
const INSPECTOR = 40 * KB

/** As a server sends it that has compressed its files once. */
const packed = (code: Buffer): number =>
  brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length

it('loads at most 120 KB of scripts before it can be used, and at most 40 KB for the inspector', async () => {
  // The service worker would give from its cache what the server is to be asked for; its script is counted all the same.
  const page = await chat.open({ serviceWorkers: 'block' })
  expect(chat.complaints()).toEqual([expect.stringContaining('registration blocked')])
  const { folder, scripts } = chat.site()
  const sizeOf = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + packed(readFileSync(join(folder, file))), 0)

  await composer(page).waitFor()
  await page.waitForLoadState('networkidle')
  const first = scripts().add('sw.js')
  await page.getByRole('button', { name: 'Inspector' }).click()
  await page.getByRole('region', { name: 'History' }).waitFor()
  const inspector = [...scripts()].filter((file) => !first.has(file))
  console.log(
    `the chat: ${sizeOf(first)} bytes in ${first.size} scripts; its inspector: ${sizeOf(inspector)} more`,
  )
  expect([...first].some((file) => file.startsWith('assets/worker-'))).toBe(true)
  expect(sizeOf(first)).toBeLessThanOrEqual(FIRST_LOAD)
  expect(inspector.length).toBeGreaterThan(0)
  expect(sizeOf(inspector)).toBeLessThanOrEqual(INSPECTOR)
})
