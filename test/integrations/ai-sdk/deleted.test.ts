import { expect, it } from 'vitest'
import { shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }

/** A page whose answer goes on piece by piece until its chat is deleted. */
async function answering({ page }: ReturnType<typeof site>) {
  let go: () => void = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const one = await page({ before: (piece) => (piece === 'me ' ? gate : undefined), onError: () => {} })
  const sending = one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('Let ')
  return { ...one, sending, go }
}

it('a chat that is deleted while it is answered says so, and may be begun anew', async () => {
  const { chat, thread, sending, go, transport } = await answering(site())
  await thread.delete()
  go()
  await sending
  expect(chat.error).toMatchObject({ code: 'NOT_FOUND', thread: 'c' })
  expect(await transport.loadMessages('c')).toEqual([])
  chat.messages = []
  await chat.sendMessage({ text: 'Porto' })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
})

it('so does one that another tab follows, whichever tab deletes it', async () => {
  const pages = site()
  const one = await answering(pages)
  const two = await pages.page({ onError: () => {} })
  const following = two.chat.resumeStream()
  await expect.poll(() => shortly(two.chat.messages), soon).toContain('Let ')
  await two.thread.delete()
  one.go()
  await Promise.all([one.sending, following])
  expect([one.chat.error, two.chat.error]).toMatchObject([{ code: 'NOT_FOUND' }, { code: 'NOT_FOUND' }])
})

it('so does one that goes with everything else', async () => {
  const pages = site()
  const one = await answering(pages)
  const two = await pages.page({ onError: () => {} })
  const following = two.chat.resumeStream()
  await expect.poll(() => shortly(two.chat.messages), soon).toContain('Let ')
  await (await pages.page()).checkpointer.destroy()
  one.go()
  await Promise.all([one.sending, following])
  expect([one.chat.status, two.chat.status]).toEqual(['error', 'error'])
})
