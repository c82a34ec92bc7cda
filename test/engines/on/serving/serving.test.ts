import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCheckpointer, type Checkpointer, type CheckpointerEvent } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../../scripts/doors.ts'
import { here } from '../../support/here.ts'
import { start, type Running } from '../../support/process.ts'
import { bundled } from '../workerd.ts'

const folder = mkdtempSync(join(tmpdir(), 'forkpoint-serving-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bin = (name: string): string => join(root, 'test/engines/node_modules/.bin', name)

async function script(name: string): Promise<string> {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, await bundled(here(import.meta.url, `${name}.ts`)))
  return file
}

const RUNTIMES: Record<string, () => Promise<readonly [command: string, args: readonly string[]]>> = {
  Deno: async () => [
    here(import.meta.url, '../../node_modules/@deno/linux-x64-glibc/deno'),
    ['run', '--allow-net', '--allow-env', await script('in-deno')],
  ],
  Bun: async () => [bin('bun'), [await script('in-bun')]],
  'Hono on Node, through nodeListener': async () => [process.execPath, [await script('in-hono')]],
  'Workers, in a Durable Object': async () => [
    process.execPath,
    [here(import.meta.url, 'workers-host.ts'), folder],
  ],
}

interface Talk {
  readonly said: readonly string[]
}

describe.each(Object.keys(RUNTIMES))('a checkpointer served by %s', (runtime) => {
  let running: Running
  const opened: Checkpointer[] = []

  beforeAll(async () => {
    const [command, args] = (await RUNTIMES[runtime]?.()) ?? ['', []]
    running = await start(command, args)
  }, 120_000)
  afterAll(async () => {
    for (const each of opened) await each.close()
    await running?.kill()
  })

  async function remote(token = 'ada'): Promise<Checkpointer> {
    const host = remoteHost(`${running.url}/store/`, { headers: { authorization: `Bearer ${token}` } })
    opened.push(await openCheckpointer({ name: 'remote', host }))
    return opened.at(-1) as Checkpointer
  }

  test('works with the same code as one in the page', async () => {
    const checkpointer = await remote()
    const thread = checkpointer.thread<Talk>('ada/talk')
    for (const said of [['a'], ['a', 'b'], ['a', 'b', 'c']]) await thread.save({ said })
    const fork = await thread.fork({ at: 2, as: 'ada/fork', edit: () => ({ said: ['a', 'z'] }) })
    await thread.putWrites(3, 'task', [{ channel: 'found', value: new Map([['k', 1n]]) }])
    expect((await fork.load())?.state).toEqual({ said: ['a', 'z'] })
    expect((await thread.load())?.pendingWrites[0]?.value).toEqual(new Map([['k', 1n]]))
    const seqs: number[] = []
    for await (const { seq } of thread.history()) seqs.push(seq)
    expect(seqs).toEqual([3, 2, 1])
  })

  test('refuses to be made without authorize, and asks it for every thread that is touched', async () => {
    expect(await (await fetch(`${running.url}/refusal`)).text()).toBe('INVALID')
    const [ada, eve] = [await remote(), await remote('eve')]
    await expect(eve.thread('ada/talk').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(ada.thread('bob/talk').save({})).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(ada.thread('ada/talk').fork({ as: 'bob/fork' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(ada.usage()).rejects.toMatchObject({ code: 'FORBIDDEN' })
    for await (const { id } of eve.threads()) throw new Error(`${id} is not for Eve`)
  })

  test('takes no message above its bound', async () => {
    const ada = await remote()
    const large = { text: 'x'.repeat(1_100_000) }
    await expect(ada.thread('ada/large').save(large)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(await ada.thread('ada/large').load()).toBeUndefined()
  })

  test('tells of changes as they are made, by server-sent events', async () => {
    const [hears, does] = [await remote(), await remote()]
    const events: CheckpointerEvent[] = []
    hears.subscribe((event) => void events.push(event))
    // Until it listens nothing is heard: so it is said again.
    await expect
      .poll(
        async () => {
          await does.thread('ada/news').save({ said: [] })
          return events.some((event) => event.type === 'saved' && event.thread === 'ada/news')
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBe(true)
  }, 30_000)

  test('is brought together with a store here', async () => {
    const ada = await remote()
    const local = await openCheckpointer({ name: 'local', storage: memoryStorage() })
    opened.push(local)
    const threads = ['ada/synced', 'ada/talk', 'ada/fork']
    for (let n = 0; n < 30; n++) await local.thread('ada/synced').save({ said: [`${n}`] })
    const { sent, received } = await local.sync(ada, { threads })
    expect([sent.checkpoints, received.checkpoints]).toEqual([30, 4])
    expect((await ada.thread('ada/synced').load())?.state).toEqual({ said: ['29'] })
    expect((await local.thread('ada/fork').load())?.state).toEqual({ said: ['a', 'z'] })
    expect((await local.verify()).problems).toEqual([])
  })
})
