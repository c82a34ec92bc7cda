import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { findBrowser } from '../../scripts/browsers.ts'
import { root } from '../../scripts/doors.ts'
import { serveSite } from './support/site.ts'

const document = readFileSync(join(root, 'docs/inspector.md'), 'utf8')
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(document)?.[1] ?? ''

it('the example of the document works as it stands', async () => {
  const temp = join(root, 'test/docs/temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'inspector-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'main.ts'), block('ts'))
  writeFileSync(join(folder, 'page.css'), block('css'))
  copyFileSync(join(root, 'test/inspector/page/trust.ts'), join(folder, 'trust.ts'))
  const script = (name: string): string => `<script type="module" src="/${name}.ts"></script>`
  const links = `<link rel="stylesheet" href="/page.css">${script('trust')}${script('main')}`
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>An app</title>${links}${block('html')}`)

  const site = await serveSite(folder)
  onTestFinished(() => site.close())
  const browser = await chromium.launch({ executablePath: findBrowser('chromium')?.path ?? '' })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  const said: string[] = []
  page.on('console', (message) => void said.push(message.text()))
  await page.goto(site.url)
  await page.getByText('Plan a trip to Lisbon').waitFor()
  await page.getByRole('button', { name: 'Load' }).click()
  await expect.poll(() => said).toEqual(['go on in chat-42 from 1: {messages: Array(1)}'])
})
