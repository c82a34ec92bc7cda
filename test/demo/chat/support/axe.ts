import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

interface Result {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** Nothing can be said against the screen as it stands, and nothing of it is beside the window. */
export async function expectClean(page: Page, what: string): Promise<void> {
  expect(await violations(page), what).toEqual([])
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(wide, `the width of ${what}`).toBe(window)
}

/** What axe has against the page. It is run where the page's policy does not reach. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const result = await page.evaluate<Result>('axe.run()')
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
