import type { Host, StoredInfo } from '../../src/operations/host.ts'
import { expect, it, vi } from 'vitest'
import { PlaceQueue } from '../../src/checkpointer/queue/place-queue.ts'

const place = { thread: 't', namespace: '' }

/** A wait that turns round and round lets no timer go off: it is ended here, where each turn looks. */
class Watched extends PlaceQueue {
  #turns = 0

  override get failure() {
    if (++this.#turns > 10_000) throw new Error('It spins.')
    return super.failure
  }
}

function queueOver(host: Pick<Host, 'saveMany' | 'head'>, lastOnly = false) {
  const nothing = (): void => {}
  const queue = new Watched(place, {
    host,
    lastOnly,
    owe: async () => {},
    changed: nothing,
    placed: nothing,
    forget: nothing,
    warn: nothing,
  })
  const add = (key: string): Promise<StoredInfo> => {
    const request = { ...place, key, createdAt: 1, fields: {}, frame: { body: new Uint8Array() } }
    return queue.add({ request, state: key, start: undefined })
  }
  return { queue, add }
}

it('waits for all that is on its way, whichever is answered first', async () => {
  const answers: (() => void)[] = []
  let seq = 0
  const host: Pick<Host, 'saveMany' | 'head'> = {
    head: async () => ({ next: 1 }),
    saveMany: ({ saves }) =>
      new Promise((resolve) => {
        const infos = saves.map(({ key, createdAt }): StoredInfo => ({ seq: ++seq, id: key, createdAt }))
        answers.push(() => resolve(infos))
      }),
  }
  const { queue, add } = queueOver(host)
  await add('first')
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  await add('second')
  queue.hurry()
  expect(answers).toHaveLength(2)
  const [first, second] = answers
  second?.()
  const written = queue.written()
  setTimeout(() => first?.(), 20)
  await written
  expect(queue.count).toBe(0)
})

it('leaves behind what it could not write on the head that was known last, also after a removal', async () => {
  const { queue, add } = queueOver({
    head: async () => ({ next: 8, head: { seq: 7, id: 'the seventh' } }),
    saveMany: () => Promise.reject(new Error('full')),
  })
  await add('first')
  await expect(queue.written()).rejects.toMatchObject({ code: 'FAILED' })
  queue.hold()
  queue.forget(false)
  queue.release()
  queue.stop()
  expect(queue.left?.saves.map((save) => save.expect)).toEqual(['the seventh'])
})

it('who waits for a save waits for the one that took its place', async () => {
  const stored: string[] = []
  const answers: (() => void)[] = []
  const host: Pick<Host, 'saveMany' | 'head'> = {
    head: async () => ({ next: 1 }),
    async saveMany({ saves }) {
      await new Promise<void>((resolve) => answers.push(resolve))
      stored.push(...saves.map(({ key }) => key))
      return saves.map(({ key, createdAt }) => ({ seq: stored.length, id: key, createdAt }))
    },
  }
  const { queue, add } = queueOver(host, true)
  await add('first')
  const first = queue.written()
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  await add('second')
  const second = queue.written().then(() => [...stored])
  await add('third')
  answers[0]?.()
  await first
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  await add('fourth')
  answers[1]?.()
  expect(await second).toEqual(['first', 'third'])
  expect(queue.count).toBe(1)
})
