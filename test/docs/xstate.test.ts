import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openCheckpointer } from 'forkpoint'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { waitFor } from 'xstate'
import { page } from './examples/xstate/page.ts'
import { asked } from './examples/xstate/pay.ts'
import { page as without } from './examples/xstate/without.ts'
import { laidOut } from './support/same-code.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
/** What XState has for it: nobody knows the key. */
const AS_A_PROMISE = `fromPromise<string, string[]>(async ({ input, signal }) =>
  pay({ input, signal, key: 'none', attempt: 1 }))`
const document = read('../../docs/xstate.md')

beforeEach(() => {
  asked.length = 0
  // Node has no Worker, and the default says so.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
})

it('shows the example that is tested, of at most 30 lines', () => {
  const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(document) ?? []
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(30)
  expect(example).toBe(read('./examples/xstate/page.ts'))
})

it('goes on where it was, in another page', async () => {
  const first = await page()
  first.send({ type: 'bread' })
  first.send({ type: 'pay' })
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  const reader = (await openCheckpointer({ name: 'my-orders', worker: false })).thread('order-1')
  await vi.waitFor(async () => expect((await reader.load())?.node).toBe('paying'))
  // The page goes, and gives back the lease that its step runs under.
  first.stop()
  const second = await page()
  expect(second.getSnapshot().value).toBe('paying')
  await waitFor(second, (snapshot) => snapshot.matches('paid'))
  expect(second.getSnapshot().context.items).toEqual(['bread'])
  expect(asked[0]).toBe(asked[1])
})

it('compares it with the same example without it', () => {
  const without = read('./examples/xstate/page.ts')
    .replace(/^import .* from 'forkpoint.*\n/gm, '')
    .replace('createActor, setup', 'createActor, fromPromise, setup')
    .replace(/ {2}const checkpointer.*\n {2}const order.*\n/, '')
    .replace(/ {4}actors: .*\n/, `    actors: { pay: ${AS_A_PROMISE} },\n`)
    .replace(/createActor\(machine, .*/, 'createActor(machine)')
    .replace(/ {2}keepActor.*\n/, '')
  expect(laidOut(read('./examples/xstate/without.ts'))).toBe(laidOut(without))
})

it('without it, begins again', async () => {
  const first = await without()
  first.send({ type: 'bread' })
  expect((await without()).getSnapshot().context.items).toEqual([])
})

it('names the version that is tested', () => {
  const { devDependencies } = JSON.parse(read('../../package.json')) as {
    devDependencies: Record<string, string>
  }
  expect(document).toContain(`| ${devDependencies['xstate']} |`)
})
