import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { memoryStorage } from 'forkpoint/storage/memory'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../../../../scripts/browsers.ts'
import { root } from '../../../../scripts/doors.ts'
import { tokenFor } from '../../../../demo/edge/token.ts'
import { SECRET } from '../../../../scripts/edge-secret.ts'

interface Started {
  readonly url: string
  readonly tokens: Readonly<Record<'Ada' | 'Bob' | 'Cut', string>>
}

const data = mkdtempSync(join(tmpdir(), 'forkpoint-edge-'))
let demo: ChildProcess
let started: Started
let browser: Browser

beforeAll(async () => {
  const args = ['scripts/edge.ts', '--data', data, '--until-parent']
  demo = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  for await (const line of createInterface(demo.stdout as NodeJS.ReadableStream))
    if (line.startsWith('{"url":')) {
      const { url, tokens }: { url: string; tokens: Started['tokens'] } = JSON.parse(line)
      started = { url, tokens: { ...tokens, Cut: await tokenFor('cut', SECRET) } }
      break
    }
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] })
}, 180_000)

afterAll(async () => {
  await browser?.close()
  if (demo.pid !== undefined) process.kill(-demo.pid, 'SIGKILL')
  rmSync(data, { recursive: true, force: true })
})

/** A device of its own: its own database, its own network. */
async function device(token: string): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(started.url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Use it' }).click()
  await says(page, /^Sent/)
  return page
}

async function keep(page: Page, note: string): Promise<void> {
  await page.getByLabel('Note').fill(note)
  await page.getByRole('button', { name: 'Keep it' }).click()
  await expect.poll(() => notes(page)).toContain(note)
}

const notes = (page: Page): Promise<string[]> => page.locator('#notes li').allTextContents()
const others = (page: Page): Promise<string[]> => page.locator('#other li').allTextContents()
const says = (page: Page, what: RegExp) =>
  expect.poll(() => page.getByRole('status').textContent(), { timeout: 30_000 }).toMatch(what)

const edge = (who: keyof Started['tokens']): Promise<Checkpointer> =>
  openCheckpointer({
    name: 'edge',
    host: remoteHost(new URL('/store/', started.url), {
      headers: { authorization: `Bearer ${started.tokens[who]}` },
    }),
  })

async function sync(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sync', exact: true }).click()
  await says(page, /^Sent/)
}

describe('the demo at the edge does what its README says', () => {
  test('notes go from device to device; kept offline on two, both are there, and one is chosen', async () => {
    const { Ada } = started.tokens
    const one = await device(Ada)
    await keep(one, 'milk')
    await says(one, /^Sent 1/)
    const two = await device(Ada)
    expect(await notes(two)).toEqual(['milk'])

    for (const page of [one, two]) await page.context().setOffline(true)
    await keep(one, 'bread')
    await keep(two, 'butter')
    await says(one, /^Kept here/)
    for (const page of [one, two]) await page.context().setOffline(false)
    await says(one, /^Sent/)
    await sync(two)
    await sync(one)
    expect([await notes(one), await others(one)]).toEqual([
      ['milk', 'bread'],
      ['milk', 'butter'],
    ])
    expect([await notes(two), await others(two)]).toEqual([
      ['milk', 'butter'],
      ['milk', 'bread'],
    ])

    await two.getByRole('button', { name: 'Go on with these' }).click()
    await expect.poll(() => notes(two)).toEqual(['milk', 'bread'])
    await says(two, /^Sent/)
    await sync(one)
    expect([await notes(one), await others(one)]).toEqual([['milk', 'bread'], []])
    await keep(one, 'jam')
    await says(one, /^Sent/)
    await sync(two)
    expect(await notes(two)).toEqual(['milk', 'bread', 'jam'])
    // A reload finds all of it, with no network either.
    await one.reload()
    await expect.poll(() => notes(one)).toEqual(['milk', 'bread', 'jam'])
  }, 180_000)

  test('a sync that is cut off again and again, before and after its messages arrive, brings everything once', async () => {
    const { Cut } = started.tokens
    const page = await device(Cut)
    await page.context().setOffline(true)
    const kept = Array.from({ length: 40 }, (_, n) => `note ${n}`)
    for (const note of kept) await keep(page, note)
    await says(page, /^Kept here/)
    // Each sync gets one call further than the one before; the next is lost on its way there, or its answer on its way back.
    let [calls, most] = [0, 0]
    await page.context().route('**/store/call', async (route) => {
      if (++calls <= most) return route.continue()
      if (most % 2 === 0) await route.fetch()
      return route.abort()
    })
    await page.context().setOffline(false)
    const status = page.getByRole('status')
    for (; !(await status.textContent())?.startsWith('Sent'); most++) {
      expect(most).toBeLessThan(100)
      calls = 0
      await page.getByRole('button', { name: 'Sync', exact: true }).click()
      await expect.poll(() => status.textContent()).toMatch(/^(Sent|Kept here)/)
    }
    expect(most).toBeGreaterThan(5)
    const store = await edge('Cut')
    const seqs: number[] = []
    for await (const { seq } of store.thread('notes').history()) seqs.push(seq)
    expect(seqs).toEqual(kept.map((_, i) => kept.length - i))
    const here = await openCheckpointer({ name: 'here', storage: memoryStorage() })
    await here.sync(store)
    expect((await here.verify()).problems).toEqual([])
    expect((await here.thread('notes').load())?.state).toEqual({ notes: kept })
    expect(await notes(await device(Cut))).toEqual(kept)
    await here.close()
    await store.close()
  }, 180_000)

  test('nobody sees what is another’s, and a token that was not signed here is not taken', async () => {
    const bob = await device(started.tokens.Bob)
    expect(await notes(bob)).toEqual([])
    await bob.getByLabel('Token').fill(`ada.${'0'.repeat(64)}`)
    await bob.getByRole('button', { name: 'Use it' }).click()
    await says(bob, /^This token is not taken/)
  }, 120_000)
})

describe('threads over many objects', () => {
  test('are listed from all of them, the latest first; forks live with their origins', async () => {
    const store = await edge('Bob')
    for (let n = 0; n < 50; n++) await store.thread<{ n: number }>(`t${n}`).save({ n })
    const fork = await store
      .thread<{ n: number }>('t7')
      .fork({ as: 'fork', edit: (draft) => void (draft.n = 70) })
    await store.thread('t3').save({ n: 33 })
    const all: string[] = []
    for await (const { id } of store.threads()) all.push(id)
    expect(all.slice(0, 3)).toEqual(['t3', 'fork', 't7'])
    expect(all).toHaveLength(51)
    expect((await fork.load())?.state).toEqual({ n: 70 })
    await expect(store.thread('t8').fork({ as: 'fork' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(store.usage()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await store.close()
  }, 120_000)

  test('are heard of, live, over all objects', async () => {
    const [one, other] = [await edge('Bob'), await edge('Bob')]
    const heard: string[] = []
    one.subscribe((event) => 'thread' in event && heard.push(`${event.type} ${event.thread}`))
    // The stream is open once a first change has come through.
    for (let n = 0; heard.length === 0 && n < 20; n++) {
      await other.thread('first').save({ n })
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(heard).toContain('saved first')
    await other.thread('live').save({ n: 1 })
    await expect.poll(() => heard, { timeout: 10_000 }).toContain('saved live')
    await other.thread('live').delete()
    await expect.poll(() => heard, { timeout: 10_000 }).toContain('deleted live')
    for (const store of [one, other]) await store.close()
  }, 60_000)

  test('are brought together with a store of one piece, forks as forks, and what is deleted goes', async () => {
    const store = await edge('Bob')
    const here = await openCheckpointer({ name: 'here', storage: memoryStorage() })
    expect((await here.sync(store)).received.checkpoints).toBeGreaterThanOrEqual(52)
    await here.thread('t9').delete()
    const own = await here
      .thread<{ n: number }>('t7')
      .fork({ as: 'own', edit: (draft) => void (draft.n = 71) })
    await own.save({ n: 72 })
    const { sent } = await here.sync(store)
    expect(sent).toEqual({ checkpoints: 2, removed: 1 })
    expect(await store.thread('t9').load()).toBeUndefined()
    expect((await store.thread('own').load())?.state).toEqual({ n: 72 })
    for await (const { id, forkOf } of store.threads()) if (id === 'own') expect(forkOf?.thread).toBe('t7')
    expect((await here.verify()).problems).toEqual([])
    await store.close()
    await here.close()
  }, 120_000)
})
