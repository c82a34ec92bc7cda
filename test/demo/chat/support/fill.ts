import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { account, say } from './chats.ts'

export const FULL = 'The browser has no more room for this site.'

/** Says what cannot be packed until it has no room. */
export async function fill(page: Page): Promise<void> {
  const stop = page.getByRole('button', { name: 'Stop' })
  const isFull = account(page).getByText(FULL)
  for (let i = 0; i < 12 && (await isFull.count()) === 0; i++) {
    await say(page, `Remember ${i} ${randomBytes(100_000).toString('base64')}`)
    await isFull.or(stop).first().waitFor()
    await stop.waitFor({ state: 'detached' })
  }
  await isFull.waitFor()
}
