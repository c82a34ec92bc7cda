import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { atRest, chats, eventually, lastTurn, say } from './support/chats.ts'

const chat = chats()

it('works with the network cut, the first reload included', async () => {
  const page = await chat.open({ search: '?pace=1' })
  await page.getByText('Ready offline').waitFor()
  // Nothing that it is built of is left to be asked for, save what keeps it.
  const kept = await page.evaluate(async () => {
    const cache = await caches.open((await caches.keys())[0] ?? '')
    return (await cache.keys()).map(({ url }) => new URL(url).pathname)
  })
  const files = readdirSync(chat.site().folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => `/${relative(chat.site().folder, join(file.parentPath, file.name))}`)
  expect(files.filter((file) => file !== '/sw.js' && file !== '/index.html' && !kept.includes(file))).toEqual(
    [],
  )
  await page.context().setOffline(true)
  await page.reload()
  await say(page, 'Find the first 5 primes')
  await lastTurn(page).getByText('2, 3, 5, 7, 11').waitFor()
  await atRest(page)
  // What is loaded later is there, too.
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Inspector' }).click()
  await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
  // The worker loads what few ask for.
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export …' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Export/ })
    .click()
  expect(statSync(await (await download).path()).size).toBeGreaterThan(500)
  await page.reload()
  await lastTurn(page).getByText('2, 3, 5, 7, 11').waitFor()
})

it('can be installed', async () => {
  const page = await chat.open()
  await page.getByText('Ready offline').waitFor()
  const session = await page.context().newCDPSession(page)
  const { url, errors } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expect(url).toMatch(/manifest\.webmanifest$/)
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  // A window of its own for a test is private, and that alone is what is said against it.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])
  await eventually(() => page.evaluate(async () => (await caches.keys()).length)).toBe(1)
})
