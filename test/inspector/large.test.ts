import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { framesWhile, smoothest, told, type Compared } from '../support/frames.ts'
import { checkpoint, eventually, inspected } from './support/inspected.ts'

const inspector = inspected()

/** How many checkpoints of the thread were read. */
const read = (page: Page) => page.getByRole('region', { name: 'History' }).locator('.count').textContent()

/** Runs in the page: a thread of this many checkpoints, with a branch at every fiftieth. */
async function grow(): Promise<void> {
  const thread = window.checkpointer.thread<{ n: number }>('very long')
  await thread.save({ n: 1 })
  for (let n = 2; n <= 5_000; n++) {
    const isBranch = n % 50 === 0
    await thread.save(
      { n },
      { node: `step ${n}`, ...(n % 50 === 1 && { parent: n - 2 }), ...(isBranch && { label: 'b' }) },
    )
  }
}

/** Runs in the page: as many as fill some screens, to compare the long one with. */
async function growShort(): Promise<void> {
  const thread = window.checkpointer.thread<{ n: number }>('short')
  for (let n = 1; n <= 300; n++) await thread.save({ n }, { node: `step ${n}` })
}

/** Runs in another page: saves as an agent does, for about as long as it takes to scroll. */
async function saveTo(id: string): Promise<void> {
  const thread = window.checkpointer.thread<{ n: number }>(id)
  for (let n = 0; n < 25; n++) {
    await thread.save({ n })
    await new Promise((resolve) => void setTimeout(resolve, 100))
  }
}

interface Drawn {
  /** How many rows there were at most. */
  readonly rows: number
  /** What most frames took to draw and to lay out, in milliseconds. */
  readonly work: number
}

/** Scrolls a screen a frame, up and down where that is soon at an end. */
const scroll = (page: Page): Promise<Drawn> =>
  page.getByRole('tree', { name: 'Checkpoints' }).evaluate(async (list) => {
    const work: number[] = []
    let rows = 0
    const step = Math.max(list.clientHeight, list.scrollHeight / 120)
    for (let i = 1; i <= 120; i++) {
      list.scrollTop = (i * step) % (list.scrollHeight - list.clientHeight)
      await new Promise((resolve) => void requestAnimationFrame(resolve))
      const began = performance.now()
      list.dispatchEvent(new Event('scroll'))
      list.querySelector('[role=treeitem]')?.getBoundingClientRect()
      work.push(performance.now() - began)
      rows = Math.max(rows, list.querySelectorAll('[role=treeitem]').length)
    }
    return { rows, work: work.toSorted((a, b) => a - b)[60] ?? 0 }
  })

/** No frame of it may be held up for so long, whatever else goes on. */
const LONGEST_MS = 500
/** What most frames may take of it: half of what they have. */
const WORK_MS = 8
/** To open it, and to have read all of it. */
const OPEN_MS = 3_000
const READ_MS = 8_000

it(
  'shows 5,000 checkpoints without a stutter, also while another tab saves, and draws what is seen of them',
  { timeout: 300_000 },
  async () => {
    const page = await inspector.open(grow)
    await page.evaluate(growShort)
    const open = async (name: string, newest: RegExp): Promise<void> => {
      await page.getByRole('option', { name: new RegExp(`^${name}`) }).click()
      await page.getByRole('treeitem', { name: newest }).first().waitFor()
    }
    const began = Date.now()
    await open('very long', /^5,000/)
    const opened = Date.now() - began
    await eventually(() => read(page)).toBe('5,000')
    const whole = Date.now() - began
    console.log(`opened in ${opened} ms, read in ${whole} ms`)
    expect(opened).toBeLessThan(OPEN_MS)
    expect(whole).toBeLessThan(READ_MS)

    // What the machine can do just now is seen at a short one, before the long one and after it.
    let drawn: Drawn = { rows: 0, work: 0 }
    const on = async (name: string, meanwhile: (id: string) => Promise<void>): Promise<readonly number[]> => {
      await open(name, /^\d/)
      await page.waitForTimeout(500)
      const saving = meanwhile(name)
      const frames = await framesWhile(page, async () => (drawn = await scroll(page)))
      await saving
      return frames
    }
    const compared = async (meanwhile: (id: string) => Promise<void>): Promise<Compared> => {
      const before = await on('short', meanwhile)
      const busy = await on('very long', meanwhile)
      const { rows, work } = drawn
      console.log(`${rows} rows at most, ${work.toFixed(1)} ms of work in most frames`)
      expect(rows).toBeGreaterThan(10)
      expect(rows).toBeLessThan(80)
      expect(work).toBeLessThan(WORK_MS)
      return { idle: told([...before, ...(await on('short', meanwhile))]), busy: told(busy) }
    }
    const limits = { longest: LONGEST_MS, tries: 4 }
    expect(await smoothest(() => compared(() => Promise.resolve()), limits)).toEqual([])
    const other = await inspector.tab(page)
    await page.bringToFront()
    expect(await smoothest(() => compared((id) => other.evaluate(saveTo, id)), limits)).toEqual([])

    await open('very long', /^5,/)
    await eventually(() => read(page)).toMatch(/^5,[01]\d\d$/)
    await page.getByRole('tree', { name: 'Checkpoints' }).focus()
    await page.keyboard.press('End')
    await page.getByRole('heading', { name: 'seq 1', exact: true }).waitFor()
    await page.keyboard.press('Home')
    await page.getByRole('heading', { name: /^seq 5,/ }).waitFor()
  },
)

it('keeps what is looked at in its place while others save', async () => {
  const page = await inspector.open(async () => {
    const thread = window.checkpointer.thread<{ n: number }>('busy')
    for (let n = 1; n <= 200; n++) await thread.save({ n })
  })
  await page.getByRole('option', { name: 'busy' }).click()
  await eventually(() => read(page)).toBe('200')
  const list = page.getByRole('tree', { name: 'Checkpoints' })
  await list.evaluate((element) => void (element.scrollTop = 2_000))
  const before = await (await checkpoint(page, 120).elementHandle())?.boundingBox()
  await page.evaluate(async () => {
    const thread = window.checkpointer.thread<{ n: number }>('busy')
    for (let n = 201; n <= 230; n++) await thread.save({ n })
  })
  await eventually(() => read(page)).toBe('230')
  expect(await checkpoint(page, 120).boundingBox()).toEqual(before)
})

it('finds one of thousands of threads', { timeout: 120_000 }, async () => {
  const page = await inspector.open(async () => {
    for (let n = 0; n < 1_200; n += 40)
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => window.checkpointer.thread(`chat ${n + i}`).save({ n })),
      )
  })
  await page.getByRole('region', { name: 'Threads' }).getByText('1,200', { exact: true }).waitFor()
  const options = page.getByRole('listbox', { name: 'Threads' }).getByRole('option')
  expect(await options.count()).toBeLessThan(60)
  await page.getByRole('searchbox').fill('CHAT 1131')
  await page.getByText('1 of 1,200').waitFor()
  await options.filter({ hasText: 'chat 1131' }).click()
  await page.getByRole('heading', { name: 'chat 1131' }).waitFor()
})
