import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Assembly, isPart, partsOf, type Part } from '../../../src/extension/parts.ts'
import { Room } from '../../../src/extension/room.ts'
import { VERBS } from '../../../src/operations/verbs.ts'
import { isRequest } from '../../../src/remote/requests.ts'
import { ATTEMPTS } from './attempts.ts'
import { FRIEND } from './extension/friend.ts'
import type { ExtensionPage } from './extension/page.ts'
import { loadExtension, type LoadedExtension } from './loaded.ts'
import type { Stranger } from './stranger/page.ts'

declare const page: ExtensionPage
declare const stranger: Stranger
/** What an extension's page has of it. */
declare const chrome: {
  readonly tabs: { query(which: { readonly url: string }): Promise<{ readonly id: number }[]> }
}

const OURS = 'forkpoint:forkpoint'
/** Served to everyone, for the thread `shared` alone. */
const SHARED = 'forkpoint:shared'

let extension: LoadedExtension
let panel: Page

beforeAll(async () => {
  extension = await loadExtension({ beside: fileURLToPath(new URL('./stranger', import.meta.url)) })
  panel = await extension.openPage()
}, 60_000)
afterAll(() => extension.close())

/** Every row that is stored for this extension. */
const stored = (): Promise<string[]> => panel.evaluate(() => page.dump())

/** The rows of one that are not in the other. */
const changesOf = (before: readonly string[], after: readonly string[]): string[] => [
  ...before.filter((row) => !after.includes(row)),
  ...after.filter((row) => !before.includes(row)),
]

describe('who is not allowed', () => {
  const secret = { secret: 'a word that nobody else has' }
  /** Each on a port of its own. */
  const attempts = VERBS.map((verb) => [...partsOf(0, { verb, request: ATTEMPTS[verb] })])

  it('would ask what is well formed', () => {
    const ours = ['settle', 'reconcile', 'recordLoss']
    expect(VERBS.filter((verb) => !isRequest(verb, ATTEMPTS[verb]))).toEqual(ours)
  })

  it.each([
    ['a content script', () => postFromScript],
    ['a page that the manifest lets connect', () => postFromPage],
  ])('%s tries every verb: nothing is read, nothing is written', async (_, post) => {
    const { heard, changed } = await attack((web) => post()(web, OURS), secret)
    for (const each of heard)
      expect(each).toEqual([
        { here: true },
        { refused: expect.objectContaining({ code: 'FORBIDDEN', details: { outcome: 'none' } }) },
        'disconnected',
      ])
    expect(changed).toEqual([])
  })

  it('who may connect, for another thread, gets no answer about this one', { timeout: 120_000 }, async () => {
    for (const post of [postFromScript, postFromPage]) {
      const { heard, changed } = await attack((web) => post(web, SHARED), secret)
      const replies = heard.map((each) => answerIn(each))
      const codes = replies.map(({ error }) => error?.code ?? 'answered')
      expect(new Set(codes)).toEqual(new Set(['FORBIDDEN', 'UNSUPPORTED', 'answered']))
      const answered = VERBS.filter((_, i) => codes[i] === 'answered')
      expect(answered).toEqual(['threads', 'runs', 'flush', 'syncList'])
      const told = JSON.stringify(replies.filter(({ error }) => !error))
      expect(told).not.toContain('secret')
      expect(JSON.stringify(replies)).not.toContain(secret.secret)
      // A flush makes durable what others have saved, and leaves a mark of when.
      expect(changed.filter((row) => !row.includes('"meta",["","flush",""]'))).toEqual([])
    }
  })

  async function attack(
    post: (web: Page) => Promise<readonly (readonly unknown[])[]>,
    state: object,
  ): Promise<{ heard: readonly (readonly unknown[])[]; changed: readonly string[] }> {
    await panel.evaluate((each) => page.checkpointer.thread('secret').save(each), state)
    const before = await stored()
    // What is not seen in it would not be missed.
    expect(before.some((row) => row.includes('secret'))).toBe(true)
    const web = await extension.web()
    const heard = await post(web)
    expect(heard).toHaveLength(VERBS.length)
    await web.close()
    return { heard, changed: changesOf(before, await stored()) }
  }

  const postFromPage = (web: Page, name: string): Promise<unknown[][]> =>
    web.evaluate(postAll, { id: extension.id, name, attempts })

  const postFromScript = (web: Page, name: string): Promise<unknown[][]> =>
    web.evaluate(
      (detail) =>
        new Promise<unknown[][]>((resolve) => {
          document.addEventListener(
            'heard',
            ({ detail: heard }: CustomEventInit<string>) => resolve(JSON.parse(heard ?? '[]')),
            { once: true },
          )
          document.dispatchEvent(new CustomEvent('post', { detail }))
        }),
      JSON.stringify({ name, attempts }),
    )
})

it('who is known by tab and origin has the thread of those, and of no other tab', async () => {
  const tabs = (): Promise<number[]> =>
    panel.evaluate(async () => (await chrome.tabs.query({ url: 'http://127.0.0.1/*' })).map(({ id }) => id))
  const one = await extension.web()
  const [first] = await tabs()
  const other = await extension.web()
  const second = (await tabs()).find((id) => id !== first)
  const { origin } = new URL(one.url())
  const ids = [first, second].map((id) => `tab ${id} of ${origin}`)
  const attempts = [...ids, `tab ${first} of http://127.0.0.1`].map((thread) => [
    ...partsOf(0, { verb: 'head', request: { thread, namespace: '' } }),
  ])
  const codesFor = async (web: Page): Promise<string[]> => {
    const heard = await web.evaluate(postAll, { id: extension.id, name: 'forkpoint:tabs', attempts })
    return heard.map((each) => answerIn(each).error?.code ?? 'answered')
  }
  expect(await codesFor(one)).toEqual(['answered', 'FORBIDDEN', 'FORBIDDEN'])
  expect(await codesFor(other)).toEqual(['FORBIDDEN', 'answered', 'FORBIDDEN'])
  await one.close()
  await other.close()
})

describe('another extension', () => {
  const ask = async (name: string): Promise<unknown> => {
    const theirs = await extension.context.newPage()
    await theirs.goto(`chrome-extension://${FRIEND}/page.html`)
    await theirs.waitForFunction(() => 'stranger' in globalThis)
    const about = { id: extension.id, name }
    const answers = await theirs.evaluate(({ id, name: called }) => stranger.ask(id, called), about)
    await theirs.close()
    return answers
  }

  it('is refused when nothing is said of it: nothing is read, nothing is written', async () => {
    const before = await stored()
    expect(await ask('forkpoint')).toEqual({
      saved: 'FORBIDDEN',
      loaded: 'FORBIDDEN',
      elsewhere: 'FORBIDDEN',
      warned: 'FORBIDDEN',
    })
    expect(changesOf(before, await stored())).toEqual([])
  })

  it('that is allowed by its id has the thread that it is allowed, and no other', async () => {
    expect(await ask('friends')).toEqual({
      saved: 'saved',
      loaded: 1,
      elsewhere: 'FORBIDDEN',
      heard: 'saved',
    })
  })

  it('is told by its id from a page of the web, which is refused there', async () => {
    const web = await extension.web()
    const heard = await web.evaluate(postAll, { id: extension.id, name: 'forkpoint:friends', attempts: [[]] })
    const refused = { refused: expect.objectContaining({ code: 'FORBIDDEN' }) }
    expect(heard).toEqual([[{ here: true }, refused, 'disconnected']])
    await web.close()
  })
})

/** Runs in a page of the web, as it stands. */
function postAll({ id, name, attempts }: Posted & { readonly id: string }): Promise<unknown[][]> {
  interface Port {
    postMessage(message: unknown): void
    disconnect(): void
    readonly onMessage: { addListener(listener: (message: object) => void): void }
    readonly onDisconnect: { addListener(listener: () => void): void }
  }
  const { chrome } = globalThis as unknown as {
    chrome: { runtime: { connect(id: string, info: { name: string }): Port } }
  }
  const postOne = (parts: readonly Part[]): Promise<unknown[]> =>
    new Promise((resolve) => {
      const port = chrome.runtime.connect(id, { name })
      const heard: unknown[] = []
      port.onMessage.addListener((message) => {
        heard.push(message)
        if ('hello' in message) for (const part of parts) port.postMessage(part)
        if (!('text' in message)) return
        resolve(heard)
        port.disconnect()
      })
      port.onDisconnect.addListener(() => resolve([...heard, 'disconnected']))
      for (const part of parts) port.postMessage(part)
    })
  return Promise.all(attempts.map(postOne))
}

interface Posted {
  readonly name: string
  readonly attempts: readonly (readonly Part[])[]
}

/** What was said to the one call on a port. */
function answerIn(heard: readonly unknown[]): { readonly error?: { readonly code: string } } {
  const part = heard.find(isPart)
  if (!part) throw new Error(`no answer in ${JSON.stringify(heard)}`)
  return new Assembly(new Room(2 ** 20)).add(part)?.message as ReturnType<typeof answerIn>
}
