import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { emptyChat, type Chat } from '../../../demo/chat/agent/chat.ts'
import { writeTitle } from '../../../demo/chat/threads/titles.ts'
import { framesOf, smoothest, type Compared } from '../../support/frames.ts'
import { atRest, chats, lastTurn, say, turns } from './support/chats.ts'

const chat = chats()
const MESSAGES = 2_000
/** No frame may be held up for so long, unless the page is as slow when nothing is done in it. */
const LONGEST_MS = 100

/** A file with a thread of 2,000 messages, as somebody might bring it along. */
async function longThread(folder: string): Promise<string> {
  const checkpointer = await openCheckpointer({ name: 'long', storage: memoryStorage() })
  const thread = checkpointer.thread<Chat>('a-long-one')
  const state = emptyChat()
  for (let i = 0; i < MESSAGES / 2; i++) {
    state.messages.push({
      role: 'user',
      id: `run-${i}`,
      text: `Question ${i}: ${'what about it? '.repeat(1 + (i % 5))}`,
    })
    state.messages.push({
      role: 'agent',
      id: `run-${i}/1`,
      model: 'Built-in script',
      text: `Answer ${i}.\n\n${'It depends on the wind and on the oil. '.repeat(1 + (i % 17))}`,
    })
    if (i % 50 === 0) await thread.save(state, { runId: `run-${i}` })
  }
  await thread.save(state)
  await writeTitle(checkpointer, 'a-long-one', 'A long one')
  const pieces: Uint8Array[] = []
  for await (const piece of checkpointer.export('a-long-one')) pieces.push(piece)
  await checkpointer.close()
  const path = join(folder, 'long.forkpoint')
  writeFileSync(path, Buffer.concat(pieces))
  return path
}

async function openLong(page: Page): Promise<void> {
  const file = await longThread(join(chat.site().folder, '..'))
  await page.getByRole('button', { name: 'Inspector' }).click()
  await page.getByRole('button', { name: 'Import …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles(file)
  await dialog.getByRole('button', { name: /^Import/ }).click()
  await dialog.getByText('Imported 1 thread.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Close the inspector' }).click()
  await page.getByRole('link', { name: 'A long one' }).click()
  await lastTurn(page).getByText('Answer 999.').waitFor()
}

it(
  'streams at the end of 2,000 messages without a stutter, of which it draws those that are seen',
  { timeout: 240_000 },
  async () => {
    const page = await chat.open()
    await openLong(page)
    expect(await turns(page).count()).toBeLessThan(40)
    const size = async () => Number(await lastTurn(page).getAttribute('aria-setsize'))
    const stream = async (): Promise<void> => {
      // The same is told each time: so it is the next turn but one that is waited for.
      const before = await size()
      await say(page, 'Tell me a story')
      await expect.poll(size, { timeout: 30_000 }).toBe(before + 2)
      await lastTurn(page).getByText('The clerk took the books').waitFor({ timeout: 120_000 })
    }
    const measure = async (): Promise<Compared> => {
      await atRest(page)
      return framesOf(page, stream)
    }
    const faults = await smoothest(measure, { longest: LONGEST_MS })
    expect(faults).toEqual([])
    await atRest(page)
  },
)

interface Steady {
  readonly steady: {
    /** How far from the end it was after each frame, in pixels. */
    readonly distances: number[]
    /** What has jumped: how much, and what. */
    readonly shifts: string[]
  }
}

/** Runs in the page: after each frame that nothing has changed since, and at each jump that the browser sees. */
function watchPlaces(): void {
  const distances: number[] = []
  const shifts: string[] = []
  const channel = new MessageChannel()
  const scroller = document.querySelector('.transcript')
  let length = 0
  const lengthNow = (): number => scroller?.textContent.length ?? 0
  channel.port1.addEventListener('message', () => {
    if (scroller && length === lengthNow())
      distances.push(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight)
  })
  channel.port1.start()
  const tick = (): void => {
    length = lengthNow()
    channel.port2.postMessage('')
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
  interface Shift extends PerformanceEntry {
    readonly value: number
    readonly sources: readonly { readonly node?: Element | null }[]
  }
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries() as Shift[])
      shifts.push(`${value.toFixed(5)} ${sources.map(({ node }) => node?.className).join(', ')}`)
  }).observe({ type: 'layout-shift' })
  Object.assign(window, { steady: { distances, shifts } })
}

it(
  'does not jump while an answer comes: what was read stays where it was',
  { timeout: 120_000 },
  async () => {
    const page = await chat.open()
    await openLong(page)
    await say(page, 'Tell me a story')
    await lastTurn(page).getByText('The keeper').waitFor()
    // At the end it stays at the end, in each frame that is seen.
    const scroller = page.getByRole('region', { name: 'Conversation' })
    const composerTop = () => page.getByRole('textbox', { name: 'Message', exact: true }).boundingBox()
    const before = await composerTop()
    await page.evaluate(watchPlaces)
    await page.waitForTimeout(3_000)
    const { distances, shifts } = await page.evaluate(() => (window as unknown as Steady).steady)
    expect(distances.length).toBeGreaterThan(20)
    expect(Math.max(...distances)).toBeLessThan(2)
    expect(shifts).toEqual([])
    expect(await composerTop()).toEqual(before)
    // Somebody who reads further up stays there.
    await scroller.hover()
    await page.mouse.wheel(0, -1_500)
    await page.getByRole('button', { name: 'To the latest' }).waitFor()
    await page.waitForTimeout(300)
    const row = turns(page).nth(6)
    const key = await row.getAttribute('data-index')
    const place = () => page.locator(`[data-index="${key}"]`).boundingBox()
    const first = await place()
    await page.waitForTimeout(1_500)
    expect((await place())?.y).toBeCloseTo(first?.y ?? -1, 0)
    await page.getByRole('button', { name: 'To the latest' }).click()
    await lastTurn(page).getByText('The keeper of the lighthouse').waitFor()
    await atRest(page)
  },
)
