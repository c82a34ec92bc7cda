import { CheckpointerError, openCheckpointer, type Loop, type Thread } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it } from 'vitest'
import { ANSWER } from '../../../src/checkpointer/runs/journal/entries.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import type { PutWritesRequest } from '../../../src/operations/host.ts'
import { localEvents } from '../../../src/tabs/events.ts'

/** What becomes of the next answer: carried out and never acknowledged, or never heard of; what is done meanwhile. */
interface Fate {
  readonly isStored: boolean
  readonly meanwhile?: () => Promise<unknown>
}

/** One who answers over a wire that may be lost, and another who runs the thread. */
async function opened() {
  const fates: Fate[] = []
  const storage = memoryStorage()
  const events = localEvents()
  const host = await createHost({ storage, publish: (event) => events.publish(event) })
  const putWrites: typeof host.putWrites = async (request) => {
    const fate = isAnswer(request) ? fates.shift() : undefined
    if (!fate) return host.putWrites(request)
    if (fate.isStored) await host.putWrites(request)
    await fate.meanwhile?.()
    throw new CheckpointerError('WORKER_LOST', 'Lost.', { outcome: 'unknown' })
  }
  const panel = await openCheckpointer({ name: 'panel', host: { ...host, putWrites, events } })
  const runner = await openCheckpointer({ name: 'runner', host: { ...host, events } })
  return { panel: panel.thread('t'), other: runner.thread('t'), fates }
}

const isAnswer = ({ writes }: PutWritesRequest): boolean =>
  writes.some(({ channel, index }) => channel === ANSWER.channel && index === ANSWER.index)

const asks =
  (...questions: readonly string[]) =>
  async (loop: Loop<unknown>): Promise<unknown[]> => {
    const answers: unknown[] = []
    for (const question of questions) answers.push(await loop.ask(question, { name: question }))
    return answers
  }

const isWaiting = async (thread: Thread, name: string): Promise<void> =>
  expect
    .poll(async () => {
      const { status, questions = [] } = (await thread.latestRun()) ?? {}
      return status === 'waiting' && questions.map((each) => each.name)
    })
    .toEqual([name])

describe('an answer whose acknowledgement was lost', () => {
  it.each([true, false])(
    'is given once, and is no conflict with itself; stored before: %s',
    async (isStored) => {
      const { panel, other, fates } = await opened()
      const running = other.run({}, asks('first', 'second'))
      await isWaiting(other, 'first')
      fates.push({ isStored })
      await panel.answer({ at: new Date(1), all: new Set(['a']) })
      await isWaiting(other, 'second')
      await panel.answer(2)
      expect((await running).result).toEqual([{ at: new Date(1), all: new Set(['a']) }, 2])
    },
  )

  it('is given when the run has gone on with it, and leaves it waiting for what it asks by now', async () => {
    const { panel, other, fates } = await opened()
    const running = other.run({}, asks('first', 'second'))
    await isWaiting(other, 'first')
    fates.push({ isStored: true, meanwhile: () => isWaiting(other, 'second') })
    await panel.answer('yes')
    expect((await other.latestRun())?.status).toBe('waiting')
    await panel.answer('no')
    expect((await running).result).toEqual(['yes', 'no'])
  })

  it('is given when the run has ended with it', async () => {
    const { panel, other, fates } = await opened()
    const running = other.run({}, asks('only'))
    await isWaiting(other, 'only')
    fates.push({ isStored: true, meanwhile: () => running })
    await panel.answer('yes')
    expect((await running).result).toEqual(['yes'])
  })

  it('is refused when another one has answered otherwise meanwhile', async () => {
    const { panel, other, fates } = await opened()
    const running = other.run({}, asks('only'))
    await isWaiting(other, 'only')
    fates.push({ isStored: false, meanwhile: () => other.answer('no') })
    await expect(panel.answer('yes')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await running).result).toEqual(['no'])
  })

  it('leaves nobody knowing when what it was given to is gone', async () => {
    const { panel, other, fates } = await opened()
    const running = other.run({}, asks('only'))
    await isWaiting(other, 'only')
    fates.push({ isStored: true, meanwhile: async () => (await running, other.delete()) })
    await expect(panel.answer('yes')).rejects.toMatchObject({ code: 'WORKER_LOST', outcome: 'unknown' })
  })
})

it('an answer that another one has given before is a conflict, also when it is the same', async () => {
  const { panel, other } = await opened()
  const running = other.run({}, (loop) =>
    Promise.all([loop.ask('a', { name: 'a' }), loop.ask('b', { name: 'b' })]),
  )
  await expect.poll(async () => (await other.latestRun())?.questions?.length).toBe(2)
  const { questions = [] } = (await other.latestRun()) ?? {}
  const key = questions.find(({ name }) => name === 'b')?.key ?? ''
  await other.answer('yes', { key })
  await expect(panel.answer('yes', { key })).rejects.toMatchObject({ code: 'CONFLICT' })
  await panel.answer('a')
  expect((await running).result).toEqual(['a', 'yes'])
})
