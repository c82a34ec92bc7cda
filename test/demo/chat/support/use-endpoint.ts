import type { Page } from 'playwright-core'

interface Endpoint {
  readonly url: string
  readonly key?: string
  /** The key is remembered. */
  readonly keeps?: boolean
}

/** Chooses an endpoint, as a user does. */
export async function useEndpoint(page: Page, { url, key, keeps = false }: Endpoint): Promise<void> {
  await page.getByRole('button', { name: /^Model:/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /^An endpoint/ }).check()
  await dialog.getByLabel('Address').fill(url)
  await dialog.getByLabel('Model', { exact: true }).fill('small-one')
  if (key !== undefined) await dialog.getByLabel('Key, if it wants one').fill(key)
  if (keeps) await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Use it' }).click()
  await page.getByRole('button', { name: 'Model: small-one' }).waitFor()
}

export const failed = (page: Page) => page.getByRole('region', { name: 'The run has failed' })
