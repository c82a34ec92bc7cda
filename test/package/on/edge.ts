import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { manifest } from '../../../scripts/doors.ts'
import type { Fixture } from '../support/ground.ts'
import { inWorkerd, type Objects } from '../support/in-workerd.ts'
import { pageWith } from '../support/serve.ts'

/** What is used here of wrangler.jsonc. */
interface Wrangler {
  readonly durable_objects: {
    readonly bindings: readonly { readonly name: string; readonly class_name: string }[]
  }
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[]
}

/** What docs/guides/edge.md and docs/durable-objects.md say, done as it stands: their Workers, with their bindings, and the page. */
export const edge: Fixture = async ({ folder, browser }) => {
  const read = (name: string): Blocks =>
    new Blocks(readFileSync(join(folder, 'node_modules', manifest.name, 'docs', name), 'utf8'))
  const own = join(folder, 'with-edge')
  mkdirSync(own)

  const example = read('durable-objects.md')
  await served(own, example, async (url) => {
    for (const [note, notes] of [
      ['one', ['one']],
      ['two', ['one', 'two']],
    ] as const) {
      const said = await (await fetch(new URL(`/?thread=t&note=${note}`, url))).json()
      expectSame(said, { seq: notes.length, notes })
    }
  })

  const guide = read('guides/edge.md')
  await served(own, guide, async (url) => {
    expectSame((await fetch(new URL('/store/call', url), { method: 'POST' })).status, 401)
    const page = `${guide.ts[1]}\n${guide.ts[2]}\nObject.assign(globalThis, { checkpointer, note, meet, settle })\n`
    const script = await bundled(own, 'page.ts', page)
    const worker = join(own, 'worker.js')
    copyFileSync(join(folder, 'node_modules', manifest.name, 'dist/worker/worker.js'), worker)
    const files = { '/page.js': script, '/worker.js': readFileSync(worker, 'utf8') }
    await twoDevices(() => deviceOf(browser, url, files))
  })
}

/** The blocks of a document, by their languages. */
class Blocks {
  readonly ts: readonly string[]
  readonly wrangler: Wrangler

  constructor(text: string) {
    const of = (language: string): string[] =>
      [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
        ([, code = '']) => code,
      )
    this.ts = of('ts')
    const [jsonc = ''] = of('jsonc')
    this.wrangler = JSON.parse(jsonc.replace(/(^|\s)\/\/.*$/gm, '')) as Wrangler
  }
}

/** With its first block as the Worker, and the bindings that it says. */
async function served(
  folder: string,
  { ts: [code = ''], wrangler }: Blocks,
  use: (url: URL) => Promise<void>,
): Promise<void> {
  const script = await bundled(folder, 'edge-worker.ts', code)
  const sqlite = new Set(wrangler.migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes))
  const durableObjects: Objects = Object.fromEntries(
    wrangler.durable_objects.bindings.map(({ name, class_name: className }) => [
      name,
      { className, useSQLite: sqlite.has(className) },
    ]),
  )
  await inWorkerd({ script, durableObjects }, use)
}

async function bundled(folder: string, name: string, code: string): Promise<string> {
  const input = join(folder, name)
  writeFileSync(input, code)
  const bundle = await rolldown({ input, platform: 'browser', external: /^cloudflare:/ })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** A browser of its own with the page, which comes from where its store is. */
async function deviceOf(browser: Browser, url: URL, files: Readonly<Record<string, string>>): Promise<Page> {
  const context = await browser.newContext()
  await context.route(
    ({ pathname }) => pathname === '/' || pathname in files,
    (route) => {
      const { pathname } = new URL(route.request().url())
      return pathname === '/'
        ? route.fulfill({ contentType: 'text/html', body: pageWith('/page.js') })
        : route.fulfill({ contentType: 'text/javascript', body: files[pathname] ?? '' })
    },
  )
  const page = await context.newPage()
  await page.goto(url.href)
  await page.waitForFunction(() => 'settle' in globalThis, undefined, { timeout: 30_000 })
  return page
}

/** What the guide's page gives. */
interface Guide {
  readonly checkpointer: { thread(id: string): { load(): Promise<{ readonly state: unknown } | undefined> } }
  note(text: string): Promise<void>
  meet(): Promise<readonly string[]>
  settle(id: string): Promise<void>
}

const inPage = {
  note: (page: Page, text: string) => page.evaluate((it) => (globalThis as unknown as Guide).note(it), text),
  meet: (page: Page) => page.evaluate(() => (globalThis as unknown as Guide).meet()),
  settle: (page: Page) => page.evaluate(() => (globalThis as unknown as Guide).settle('notes')),
  shown: (page: Page) =>
    page.evaluate(
      async () => (await (globalThis as unknown as Guide).checkpointer.thread('notes').load())?.state,
    ),
}

async function twoDevices(open: () => Promise<Page>): Promise<void> {
  const [phone, laptop] = [await open(), await open()]
  try {
    await inPage.note(phone, 'milk')
    await inPage.meet(phone)
    await inPage.meet(laptop)
    expectSame(await inPage.shown(laptop), { texts: ['milk'] })

    await phone.context().setOffline(true)
    await inPage.note(phone, 'bread')
    await inPage.note(laptop, 'tea')
    await inPage.meet(laptop)
    await phone.context().setOffline(false)
    await inPage.meet(phone)
    await inPage.settle(phone)
    await inPage.meet(laptop)
    const both = { texts: ['milk', 'bread', 'tea'] }
    expectSame([await inPage.shown(phone), await inPage.shown(laptop)], [both, both])
  } finally {
    await phone.context().close()
    await laptop.context().close()
  }
}

function expectSame(said: unknown, expected: unknown): void {
  if (JSON.stringify(said) !== JSON.stringify(expected))
    throw new Error(`It said ${JSON.stringify(said)}, and not ${JSON.stringify(expected)}`)
}
