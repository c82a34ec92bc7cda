/** `npm run pictures`: what demo/chat/README.md shows of the chat, and its icons, taken in Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { build, preview } from 'vite'
import { findBrowser } from './browsers.ts'
import { root } from './doors.ts'

const folder = join(root, 'demo/chat')

const WIDTHS = [1280, 390] as const

interface Picture {
  readonly name: string
  /** Light unless it is said otherwise, by width. */
  readonly dark?: readonly (typeof WIDTHS)[number][]
  readonly take: (page: Page, width: number) => Promise<unknown>
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.keyboard.press('Enter')
}
const said = (page: Page, text: string) => page.locator('[aria-posinset]').last().getByText(text).waitFor()
const atRest = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()

async function tour(page: Page): Promise<void> {
  await say(page, 'Give me the tour')
  await said(page, 'That was all.')
  await atRest(page)
}

async function branch(page: Page): Promise<void> {
  await say(page, 'What is 17% of 4,250?')
  await said(page, 'It comes to 722.5.')
  await atRest(page)
  await page.locator('[aria-posinset]').first().hover()
  await page.getByRole('button', { name: 'Edit and branch' }).click()
  await page.getByRole('textbox', { name: 'Your message, edited' }).fill('What is 19% of 4,250?')
  await page.keyboard.press('Enter')
  await said(page, 'It comes to 807.5.')
  await atRest(page)
}

async function ask(page: Page): Promise<void> {
  await branch(page)
  await say(page, 'Post to https://example.org/bookings')
  await page.getByRole('region', { name: 'The agent asks' }).waitFor()
}

async function inspect(page: Page, width: number): Promise<void> {
  await branch(page)
  await say(page, 'Give me the tour')
  await said(page, 'That was all.')
  await atRest(page)
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem').first().waitFor()
  if (width > 800) await page.getByRole('treeitem', { name: /^messages/ }).click()
  // What is stored is counted a moment later.
  await page
    .getByText(/\d checkpoints/)
    .first()
    .waitFor()
}

async function compare(page: Page, width: number): Promise<void> {
  await inspect(page, width)
  const notes = page.getByRole('tree', { name: 'Checkpoints' }).getByRole('treeitem', { name: /notes/ })
  await notes.click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByText(/^From seq/).waitFor()
}

async function reload(page: Page): Promise<void> {
  await page.goto(`${page.url().split(/[?#]/)[0]}?pace=25`)
  await say(page, 'Tell me a story')
  await said(page, 'One autumn')
  await page.reload()
  await page.getByRole('region', { name: 'What happened' }).waitFor()
  await said(page, 'In the spring')
}

const models = (page: Page) =>
  page
    .getByRole('button', { name: /^Model:/ })
    .click()
    .then(() => page.getByRole('radio', { name: /^An endpoint/ }).check())

const pictures: readonly Picture[] = [
  { name: 'welcome', take: () => Promise.resolve() },
  { name: 'reload', dark: [390], take: reload },
  { name: 'question', dark: [1280], take: ask },
  { name: 'tour', take: tour },
  { name: 'branches', dark: [390], take: branch },
  { name: 'models', dark: [1280], take: models },
  { name: 'inspector', take: inspect },
  { name: 'changes', dark: [1280], take: compare },
]

async function main(): Promise<void> {
  const found = findBrowser('chromium')
  if (!found) throw new Error('Chromium was not found; `npm run browsers` installs it')
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'error' })
  const server = await preview({
    configFile: join(root, 'vite.config.ts'),
    preview: { host: '127.0.0.1', port: 0, open: false },
  })
  const browser = await chromium.launch({ executablePath: found.path })
  try {
    await icons(browser)
    const url = server.resolvedUrls?.local[0] ?? ''
    for (const picture of pictures)
      for (const width of WIDTHS) await takePicture(browser, url, picture, width)
  } finally {
    await browser.close()
    await server.close()
  }
}

async function takePicture(
  browser: Browser,
  url: string,
  { name, dark = [], take }: Picture,
  width: (typeof WIDTHS)[number],
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: dark.includes(width) ? 'dark' : 'light',
    viewport: { width, height: 780 },
    hasTouch: width === 390,
    isMobile: width === 390,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(`${url}?pace=1`)
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  await page.getByText('Ready offline').waitFor({ state: 'attached' })
  await take(page, width)
  const file = `${name}${width === 390 ? '-phone' : ''}.png`
  await page.mouse.move(0, 0)
  await page.waitForTimeout(300)
  await page.screenshot({ path: join(folder, 'pictures', file), caret: 'hide' })
  await context.close()
  console.log(file)
}

/** For home screens, which take no vectors everywhere. */
async function icons(browser: Browser): Promise<void> {
  const drawing = readFileSync(join(folder, 'public/icon.svg'), 'utf8')
  const whole = drawing.replace('rx="14"', '')
  const sizes = [
    ['icon-192', 192, drawing],
    ['icon-512', 512, drawing],
    ['icon-maskable', 512, whole],
  ] as const
  for (const [name, size, svg] of sizes) {
    const page = await browser.newPage({ viewport: { width: size, height: size } })
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`)
    await page.screenshot({ path: join(folder, 'public', `${name}.png`), omitBackground: true })
    await page.close()
  }
}

await main()
