import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointHistory, ForkpointThreads, type ForkpointNews } from 'forkpoint/assistant-ui'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, expect, it } from 'vitest'
import { listOf } from '../../../src/testing/checkpointer/ground.ts'
import { assistantMessage, userMessage } from '../../support/messages.ts'

let checkpointer: Checkpointer
let threads: ForkpointThreads
beforeEach(async () => {
  checkpointer = await openCheckpointer({ name: 'lists', storage: memoryStorage() })
  threads = new ForkpointThreads(checkpointer)
})

const historyOf = (id: string): ForkpointHistory => new ForkpointHistory(checkpointer, id)
const idsIn = async (list = threads): Promise<string[]> =>
  (await list.list()).threads.map(({ remoteId }) => remoteId)
async function made(localId: string): Promise<string> {
  const { remoteId } = await threads.initialize(localId)
  await historyOf(remoteId).append({ message: userMessage(`in ${localId}`), parentId: null })
  return remoteId
}

it('a thread is in the list from its beginning, the latest first', async () => {
  const first = await made('__LOCALID_1')
  const { remoteId: second } = await threads.initialize('__LOCALID_2')
  expect(second).not.toBe(first)
  expect(await idsIn()).toEqual([second, first])
  const { threads: listed } = await new ForkpointThreads(checkpointer).list()
  expect(listed).toEqual([
    { remoteId: second, status: 'regular' },
    { remoteId: first, status: 'regular', lastMessageAt: expect.any(Date) },
  ])
})

it('a thread is made once, however often that is asked for', async () => {
  const results = await Promise.all([1, 2, 3].map(() => threads.initialize('__LOCALID_1')))
  expect(new Set(results.map(({ remoteId }) => remoteId)).size).toBe(1)
  expect(await idsIn()).toHaveLength(1)
})

it('what is said of a thread is kept, all of it whoever says it', async () => {
  const id = await made('a')
  const other = new ForkpointThreads(checkpointer)
  await Promise.all([
    threads.rename(id, 'Lisbon'),
    other.archive(id),
    threads.updateCustom(id, { tags: ['x'] }),
  ])
  const said = { remoteId: id, status: 'archived', title: 'Lisbon', custom: { tags: ['x'] } }
  expect(await other.fetch(id)).toMatchObject(said)
  expect((await threads.list()).threads).toMatchObject([said])
  await other.unarchive(id)
  await threads.updateCustom(id, undefined)
  const { status, custom, title } = await other.fetch(id)
  expect({ status, custom, title }).toEqual({ status: 'regular', custom: undefined, title: 'Lisbon' })
})

it('a thread that is deleted is gone, with its messages', async () => {
  const id = await made('a')
  await threads.rename(id, 'Lisbon')
  await threads.delete(id)
  expect(await idsIn()).toEqual([])
  await expect(threads.fetch(id)).rejects.toMatchObject({ code: 'NOT_FOUND', thread: id })
  expect((await historyOf(id).load()).messages).toEqual([])
})

it('a thread that is deleted is not brought back by a title that comes behind that, and may be by an import', async () => {
  const id = await made('a')
  const backup = new Blob(await listOf(checkpointer.export(id)))
  const deleting = threads.delete(id)
  await expect(threads.rename(id, 'Lisbon')).rejects.toMatchObject({ code: 'NOT_FOUND', thread: id })
  await deleting
  for await (const thread of checkpointer.threads()) throw new Error(`${thread.id} is there`)
  await checkpointer.import(backup)
  await threads.rename(id, 'Lisbon')
  expect(await threads.fetch(id)).toMatchObject({ title: 'Lisbon' })
})

it('a long list comes in pages, each thread once', async () => {
  const list = new ForkpointThreads(checkpointer, { pageSize: 3 })
  const ids = await Promise.all(
    Array.from({ length: 10 }, async (_, i) => (await list.initialize(`${i}`)).remoteId),
  )
  const found: string[] = []
  let after: string | undefined
  for (let page = 0; page < 10; page++) {
    const { threads: listed, nextCursor } = await list.list(after === undefined ? {} : { after })
    found.push(...listed.map(({ remoteId }) => remoteId))
    after = nextCursor
    if (after === undefined) break
  }
  expect(found.toSorted()).toEqual(ids.toSorted())
  await expect(list.list({ after: 'no cursor' })).rejects.toMatchObject({ code: 'INVALID' })
})

it('lists what is of assistant-ui, with a list or without, and nothing else', async () => {
  await checkpointer.thread('an agent').save({ messages: [] })
  await checkpointer.thread('an agent').fork({ as: 'its fork' })
  await historyOf('plain').append({ message: userMessage('a'), parentId: null })
  const id = await made('a')
  expect(await idsIn()).toEqual([id, 'plain'])
  await expect(threads.fetch('an agent')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('pages are full of chats, however many threads of others are newer, and end with the last', async () => {
  const made: string[] = []
  const list = new ForkpointThreads(checkpointer, { pageSize: 3 })
  const nextMillisecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2))
  for (let chat = 0; chat < 7; chat++) {
    made.unshift((await list.initialize(`${chat}`)).remoteId)
    await nextMillisecond()
    for (let i = 0; i < 8; i++) await checkpointer.thread(`agent ${chat} ${i}`).save({ i })
    await nextMillisecond()
  }
  const pages: string[][] = []
  let after: string | undefined
  do {
    const { threads: listed, nextCursor } = await list.list({ after })
    pages.push(listed.map(({ remoteId }) => remoteId))
    after = nextCursor
  } while (after !== undefined && pages.length < 10)
  expect(pages).toEqual([made.slice(0, 3), made.slice(3, 6), made.slice(6)])
  expect(await idsIn()).toEqual(made)
})

it('a fork ends with a message, and goes on by itself', async () => {
  const id = await made('a')
  await threads.rename(id, 'Lisbon')
  const history = historyOf(id)
  await history.append({ message: assistantMessage('b'), parentId: 'in a' })
  await history.append({ message: userMessage('c'), parentId: 'b' })
  await history.update({ message: assistantMessage('b', 'changed'), parentId: 'in a' })
  const twin = await threads.fork(id, { at: 'b', title: 'Porto' })
  const whole = await threads.fork(id)
  expect(await threads.fetch(twin)).toMatchObject({ title: 'Porto' })
  expect(await threads.fetch(whole)).toMatchObject({ title: 'Lisbon' })
  expect(await idsIn()).toHaveLength(3)
  const loaded = await historyOf(twin).load()
  expect(loaded.headId).toBe('b')
  expect(loaded.messages.map(({ message }) => message.id)).toEqual(['in a', 'b'])
  expect((await historyOf(whole).load()).headId).toBe('c')
  await historyOf(twin).append({ message: userMessage('d'), parentId: 'b' })
  expect((await historyOf(twin).load()).headId).toBe('d')
  expect((await historyOf(id).load()).messages).toHaveLength(3)
  await expect(threads.fork(id, { at: 'no such' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a fork with an edit goes on from what it was edited to', async () => {
  const id = await made('a')
  const edit = (draft: unknown): void => {
    const { messages } = draft as { messages: { content: { content: unknown } }[] }
    for (const { content } of messages) content.content = [{ type: 'text', text: 'edited' }]
  }
  const twin = await checkpointer.thread(id).fork({ edit })
  await historyOf(twin.id).append({ message: assistantMessage('b'), parentId: 'in a' })
  const { messages, headId } = await historyOf(twin.id).load()
  expect(headId).toBe('b')
  expect(messages.map(({ message }) => message.content)).toEqual(
    ['edited', 'b'].map((text) => [{ type: 'text', text }]),
  )
})

async function titleFor(list: ForkpointThreads, id: string, text: string): Promise<unknown[]> {
  const chunks: unknown[] = []
  for await (const chunk of await list.generateTitle(id, [userMessage('m', text)])) chunks.push(chunk)
  return chunks
}

it('a title is what was asked first, cut between letters, and is stored before it is told', async () => {
  const id = await made('a')
  const chunks = await titleFor(threads, id, '  Plan\n a trip ')
  expect(chunks[1]).toMatchObject({ type: 'text-delta', textDelta: 'Plan a trip' })
  expect(await threads.fetch(id)).toMatchObject({ title: 'Plan a trip' })
  await titleFor(threads, id, '👩‍🚀'.repeat(100))
  const { title = '' } = await threads.fetch(id)
  expect(() => encodeURIComponent(title)).not.toThrow()
  expect([...title].length).toBeLessThanOrEqual(60)
  expect(await titleFor(threads, id, '')).toEqual([])
  expect((await threads.fetch(id)).title).toBe(title)
})

it('a title can be made by a model', async () => {
  const id = await made('a')
  const list = new ForkpointThreads(checkpointer, { title: async ([first]) => `about ${first?.id}` })
  await titleFor(list, id, 'x')
  expect(await threads.fetch(id)).toMatchObject({ title: 'about m' })
})

it('news of other tabs is told', async () => {
  const heard: ForkpointNews[] = []
  const stop = threads.subscribe((news) => heard.push(news))
  const id = await made('a')
  await expect.poll(() => heard).toEqual([{ type: 'list' }, { type: 'messages', threadId: id }])
  await threads.rename(id, 'x')
  await threads.delete(id)
  await expect.poll(() => heard.slice(2)).toEqual([{ type: 'list' }, { type: 'list' }])
  stop()
  await made('b')
  expect(heard).toHaveLength(4)
})
