import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eventually, inspected, openThread } from './support/inspected.ts'

const inspector = inspected()

/** Runs in the page: what others may have put into a state, and into the names of things. */
async function attack(): Promise<void> {
  const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
  const circle: Record<string, unknown> = { name: 'circle' }
  circle['self'] = { again: circle }
  let deep: unknown = 'the bottom'
  for (let i = 0; i < 500; i++) deep = { in: deep }
  const state = {
    script: evil,
    [evil]: 'as a key',
    link: 'javascript:alert(3)',
    long: 'long '.repeat(2_000_000) + 'END',
    bidi: 'user\u202Egpj.exe',
    hidden: 'a\u200Bb\uFEFFc\u{E0041}d\u0000e',
    half: 'x\uD800y',
    lines: 'one\ntwo',
    odd: JSON.parse('{"__proto__": "own", "constructor": 1, "toString": 2, "": 3}'),
    many: Array.from({ length: 123_456 }, (_, i) => i),
    deep,
    circle,
    map: new Map<unknown, unknown>([
      ['k', 1],
      [{ a: 'key' }, 'held'],
      [7n, 2],
    ]),
    set: new Set(['<b>']),
    at: new Date(86_400_000),
    never: new Date(Number.NaN),
    bytes: new Uint8Array([1, 2, 255]),
    big: 2n ** 70n,
    numbers: [Number.NaN, -0, Infinity, undefined, null],
    pattern: /<i>/g,
    failed: new TypeError('<u>no</u>'),
  }
  const thread = window.checkpointer.thread(`${evil}\u202E`)
  await thread.save({}, { node: evil })
  const saved = await thread.save(state, {
    node: evil,
    label: `${evil}\u202E`,
    next: [evil],
    source: evil,
    extra: { evil },
    runId: evil,
  })
  await thread.putWrites(saved.seq, evil, [
    { channel: evil, value: evil },
    { channel: 'forkpoint:step', value: { name: 7, kind: evil } },
  ])
  await thread.fork({ as: `fork ${evil}` })
}

const row = (page: Page, name: string) =>
  page
    .getByRole('tree', { name: 'State' })
    .getByRole('treeitem')
    .filter({ hasText: new RegExp(`^${name}:`) })
    .first()

it('shows hostile content as itself, wherever it stands', async () => {
  const page = await inspector.open(attack)
  await openThread(page, '<img')
  const shows = async (name: string, text: string) =>
    eventually(() => row(page, name).textContent()).toBe(`${name}: ${text}`)

  await shows('script', '"<img src=x onerror="alert(1)"><script>alert(2)</script>"')
  await shows('link', '"javascript:alert(3)"')
  await shows('bidi', '"userU+202Egpj.exe"')
  await shows('hidden', '"aU+200BbU+FEFFcU+E0041dU+0000e"')
  await shows('half', '"xU+D800y"')
  await shows('at', '1970-01-02T00:00:00.000Z')
  await shows('never', 'Invalid Date')
  await shows('bytes', 'Uint8Array(3) 1 2 255')
  await shows('big', `${2n ** 70n}n`)
  await shows('pattern', '/<i>/g')
  await shows('failed', 'TypeError: <u>no</u>')
  await shows('numbers', '[5 items] NaN, -0, Infinity, undefined, …')

  // Text that turns its direction does so in its own box.
  expect(await row(page, 'bidi').locator('bdi').count()).toBe(2)
  for (const name of ['Changes', 'Runs & writes', 'Details']) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tabpanel').getByText('<script>').first().waitFor()
  }
  const made = () =>
    page.locator('forkpoint-inspector').evaluate((inspected) => {
      const all = [...(inspected.shadowRoot?.querySelectorAll('*') ?? [])]
      return {
        foreign: all.filter((each) => each.matches('img, script, b, i, u, a[href], iframe, style, link'))
          .length,
        styled: all.filter((each) => each.matches('[onclick], [onerror]')).length,
      }
    })
  const history = page.getByRole('region', { name: 'History' })
  for (const button of [
    history.getByRole('button', { name: 'Prune …' }),
    history.getByRole('button', { name: 'Delete …' }),
    history.getByRole('button', { name: 'Export …' }),
    page.getByRole('button', { name: 'Fork …' }),
    page.getByRole('button', { name: 'Import …' }),
    page.getByRole('button', { name: 'Check …' }),
  ]) {
    await button.click()
    await page.getByRole('dialog').waitFor()
    expect(await made()).toEqual({ foreign: 0, styled: 0 })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(await made()).toEqual({ foreign: 0, styled: 0 })
})

it('stands under a policy that lets in no inline style, no foreign script and no markup made of text', async () => {
  const page = await inspector.open(attack)
  await openThread(page, '<img')
  await row(page, 'script').waitFor()
  // Nothing was complained of so far, though the policy is in force:
  expect(inspector.complaints()).toEqual([])
  const refused = await page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const all: string[] = []
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (all.push(effectiveDirective) === 3) resolve(all.sort())
        })
        const styled = document.createElement('p')
        styled.setAttribute('style', 'color: red')
        const script = { rel: 'modulepreload', href: 'data:text/javascript,window.told=[]' }
        document.body.append(styled, Object.assign(document.createElement('link'), script))
        try {
          styled.innerHTML = '<b>bold</b>'
        } catch {
          // As it should.
        }
      }),
  )
  expect(refused).toEqual(['require-trusted-types-for', 'script-src-elem', 'style-src-attr'])
  const heard: string[] = []
  await eventually(() => heard.push(...inspector.complaints())).toBe(3)
  expect(heard.join()).toContain("default-src 'self'")
})

it('goes into keys with the names of what every object has, circles, maps and what is deep', async () => {
  const page = await inspector.open(attack)
  await openThread(page, '<img')
  await row(page, 'odd').click()
  await eventually(() => row(page, '__proto__').textContent()).toBe('__proto__: "own"')
  await eventually(() => row(page, 'toString').textContent()).toBe('toString: 2')
  await page.getByRole('treeitem', { name: '"": 3', exact: true }).waitFor()
  await row(page, 'circle').click()
  await row(page, 'self').click()
  await eventually(() => row(page, 'again').textContent()).toBe('again: ↻ the same as further up')
  await row(page, 'map').click()
  await row(page, 'k').waitFor()
  await row(page, '7n').waitFor()
  await row(page, '1').click()
  await row(page, 'key').waitFor()
  await row(page, 'deep').focus()
  for (let i = 0; i < 80; i++) await page.keyboard.press('ArrowRight')
  await eventually(() => page.locator('[aria-level="40"]').count()).toBe(1)
})

it('shows ten megabytes of text a piece at a time', async () => {
  const page = await inspector.open(attack)
  await openThread(page, '<img')
  await eventually(() => row(page, 'long').textContent()).toContain('…" 10,000,003 characters')
  await row(page, 'long').click()
  const more = page.getByRole('button', { name: 'Show 20,000 more of 10,000,003 characters' })
  await more.click()
  await eventually(() =>
    page.locator('.long-text').evaluate((text) => text.textContent?.length ?? 0),
  ).toBeLessThan(30_000)
  expect(await page.locator('.long-text').evaluate((text) => text.textContent?.length ?? 0)).toBeGreaterThan(
    22_000,
  )
})

it('shows very many items in stretches, the last of them too', async () => {
  const page = await inspector.open(attack)
  await openThread(page, '<img')
  const item = (name: string) =>
    page.getByRole('tree', { name: 'State' }).getByRole('treeitem', { name, exact: true })
  await row(page, 'many').click()
  await item('120,000 … 123,455').click()
  await item('123,400 … 123,455').click()
  await item('123455: 123455').waitFor()
  expect(await page.getByRole('tree', { name: 'State' }).getByRole('treeitem').count()).toBeLessThan(200)
})
