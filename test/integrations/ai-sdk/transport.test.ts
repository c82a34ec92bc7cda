import type { UIMessage, UIMessageChunk } from 'ai'
import { expect, it } from 'vitest'
import { listOf } from '../../../src/testing/checkpointer/ground.ts'
import { resultsIn, trip } from '../../support/scripted-model.ts'
import { never, shortly, site } from './ground.ts'

const soon = { timeout: 10_000 }
const WHOLE = 'Lisbon / Let me see.|search:output-available|book:output-available|You fly with TP 1351.'

it('an answer comes as it would without it, and each of its steps is a checkpoint', async () => {
  const { page, booked } = site()
  const { chat, thread, transport } = await page()
  await chat.sendMessage({ text: 'Lisbon' })
  expect(chat.status).toBe('ready')
  expect(shortly(chat.messages)).toBe(WHOLE)
  expect(booked).toEqual(['TP 1351'])
  const history = await listOf(thread.history({ order: 'oldest' }))
  expect(history.map(({ node, source, step }) => [source, node, step])).toEqual([
    ['input', undefined, undefined],
    ['loop', 'step', 1],
    ['loop', 'step', 2],
    ['loop', 'step', 3],
  ])
  expect(shortly(await transport.loadMessages('c'))).toBe(WHOLE)
  const again = await page()
  expect(await again.transport.reconnectToStream({ chatId: 'c' })).toBeNull()
  await again.chat.sendMessage({ text: 'And back' })
  expect(again.model.doStreamCalls).toHaveLength(3)
  expect(shortly(await transport.loadMessages('c'))).toBe(WHOLE + ' / And back' + WHOLE.slice(6))
})

it('after a reload in mid-text the answer goes on, and no step is done twice', async () => {
  const { page, booked, searched } = site()
  const one = await page({ before: (piece) => (piece === 'with ' ? never : undefined) })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('You fly ')
  await one.checkpointer.close()

  const two = await page()
  expect(shortly(two.chat.messages)).toBe(
    'Lisbon / Let me see.|search:output-available|book:output-available',
  )
  const seen: string[] = []
  two.chat['~registerMessagesCallback'](() => seen.push(shortly(two.chat.messages)))
  await two.chat.resumeStream()
  expect(seen.some((each) => each.endsWith('|You fly '))).toBe(true)
  expect(shortly(two.chat.messages)).toBe(WHOLE)
  expect(two.chat.messages).toHaveLength(2)
  expect(two.chat.messages[1]?.id).toBe(one.chat.messages[1]?.id)
  expect(two.model.doStreamCalls).toHaveLength(1)
  expect([booked, searched]).toEqual([['TP 1351'], ['Lisbon']])
  expect(await two.transport.loadMessages('c')).toEqual(two.chat.messages.map(clean))
})

it('an answer that ends after the messages were loaded, and before it is asked for, is given whole', async () => {
  const { page } = site()
  let goOn = (): void => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  const one = await page({ before: (piece) => (piece === 'with ' ? held : undefined) })
  const answered = one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('You fly ')
  const two = await page()
  expect(shortly(two.chat.messages)).not.toBe(WHOLE)
  goOn()
  await answered
  await expect.poll(async () => (await two.thread.latestRun())?.status, soon).toBe('finished')
  await two.chat.resumeStream()
  expect([two.chat.status, shortly(two.chat.messages)]).toEqual(['ready', WHOLE])
  expect(two.chat.messages.map(({ id }) => id)).toEqual(one.chat.messages.map(({ id }) => id))
  await two.chat.sendMessage({ text: 'And back' })
  expect(shortly(two.chat.messages)).toBe(WHOLE + ' / And back' + WHOLE.slice(6))
  // What was said since is not an answer that is missing: it would stand without its question.
  const three = await page()
  await two.chat.sendMessage({ text: 'And again' })
  expect(await three.transport.reconnectToStream({ chatId: 'c' })).toBeNull()
})

it('a component that is mounted twice, as in strict mode, goes on once', async () => {
  const { page } = site()
  const one = await page({ before: (piece) => (piece === 'with ' ? never : undefined) })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('You fly ')
  await one.checkpointer.close()

  const two = await page()
  const first = two.chat.resumeStream()
  const stopped = two.chat.stop()
  await Promise.all([first, stopped, two.chat.resumeStream()])
  expect([two.chat.status, shortly(two.chat.messages)]).toEqual(['ready', WHOLE])
  expect(two.model.doStreamCalls).toHaveLength(1)
  expect(await two.transport.loadMessages('c')).toEqual(two.chat.messages.map(clean))
})

it('after a reload before its first call a step is begun anew, and shown once', async () => {
  const { page } = site()
  const one = await page({ before: (piece) => (piece === 'see.' ? never : undefined) })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('Let me ')
  await one.checkpointer.close()

  const two = await page()
  expect(shortly(two.chat.messages)).toBe('Lisbon')
  await two.chat.resumeStream()
  expect(shortly(two.chat.messages)).toBe(WHOLE)
  expect(two.model.doStreamCalls).toHaveLength(3)
  expect(stepStarts(two.chat.messages)).toBe(3)
  expect(await two.transport.loadMessages('c')).toEqual(two.chat.messages.map(clean))
})

it('a tool that was under way when its page went is not used again, and that is said', async () => {
  const { page, booked } = site()
  const one = await page({ onBook: () => never })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => booked.length, soon).toBe(1)
  await one.checkpointer.close()

  const two = await page()
  await two.chat.resumeStream()
  expect(two.chat.status).toBe('ready')
  expect(booked).toEqual(['TP 1351'])
  expect(shortly(two.chat.messages)).toBe(
    'Lisbon / Let me see.|search:output-available|book:output-error|You fly with TP 1351.',
  )
  expect(JSON.stringify(two.model.doStreamCalls[0]?.prompt)).toContain(
    'It is not known whether this was done',
  )
})

it('a tool that was done when its page went, with its step not ended, keeps what it came to', async () => {
  const { page, booked } = site()
  const calls = () => ({ calls: ['one', 'two'].map((flight) => ({ tool: 'book', input: { flight } })) })
  const script = (prompt: Parameters<typeof resultsIn>[0]) =>
    resultsIn(prompt) === 0 ? calls() : { text: [`${resultsIn(prompt)} are booked`] }
  const one = await page({ script, onBook: () => (booked.length === 2 ? never : undefined) })
  void one.chat.sendMessage({ text: 'Two' })
  await expect
    .poll(() => shortly(one.chat.messages), soon)
    .toContain('book:output-available|book:input-available')
  await one.checkpointer.close()

  const two = await page({ script })
  await two.chat.resumeStream()
  expect(booked).toEqual(['one', 'two'])
  expect(shortly(two.chat.messages)).toBe('Two / book:output-available|book:output-error|2 are booked')
})

it('tools that change nothing are used again', async () => {
  const { page, searched } = site()
  const one = await page({ onSearch: () => never })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => searched.length, soon).toBe(1)
  await one.checkpointer.close()
  const two = await page()
  await two.chat.resumeStream()
  expect(searched).toHaveLength(2)
  expect(shortly(two.chat.messages)).toBe(WHOLE)
  expect(two.model.doStreamCalls).toHaveLength(2)
})

it('a step that is ended with what its calls come to may be cut off again', async () => {
  const { page, searched } = site()
  const calls = ['Lisbon', 'Porto'].map((city) => ({ tool: 'search', input: { city } }))
  const script: typeof trip = (prompt) => (resultsIn(prompt) === 0 ? { calls } : { text: ['Two.'] })
  const portoHangs = () => (searched.at(-1) === 'Porto' ? never : undefined)
  for (const pages of [1, 2]) {
    const { chat, checkpointer } = await page({ script, onSearch: portoHangs })
    void (pages === 1 ? chat.sendMessage({ text: 'Both' }) : chat.resumeStream())
    await expect.poll(() => searched.filter((city) => city === 'Porto').length, soon).toBe(pages)
    await expect.poll(() => shortly(chat.messages), soon).toContain('search:output-available')
    await checkpointer.flush()
    await checkpointer.close()
  }
  const { chat, transport } = await page({ script })
  await chat.resumeStream()
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  expect(shortly(chat.messages)).toBe('Both / search:output-available|search:output-available|Two.')
  expect(searched).toEqual(['Lisbon', 'Porto', 'Porto', 'Porto'])
  expect(await transport.loadMessages('c')).toEqual(chat.messages.map(clean))
})

it('a regenerated answer is a branch, and the old one can be chosen again', async () => {
  const { page } = site()
  let answers = 0
  const script = () => ({ text: [`answer ${++answers}`] })
  const { chat, transport } = await page({ script })
  await chat.sendMessage({ text: 'Hello' })
  const [, first] = chat.messages
  await chat.regenerate()
  const [, second] = chat.messages
  expect(shortly(chat.messages)).toBe('Hello / answer 2')
  expect(second?.id).not.toBe(first?.id)
  const branches = await transport.branches('c', second?.id ?? '')
  expect(branches.map(({ messageId, isCurrent }) => [messageId, isCurrent])).toEqual([
    [first?.id, false],
    [second?.id, true],
  ])
  await chat.sendMessage({ text: 'Go on' })
  chat.messages = await transport.choose('c', first?.id ?? '')
  expect(shortly(chat.messages)).toBe('Hello / answer 1')
  expect(shortly(await transport.loadMessages('c'))).toBe('Hello / answer 1')
  await chat.sendMessage({ text: 'Go on' })
  expect(shortly(chat.messages)).toBe('Hello / answer 1 / Go on / answer 4')
  // All that came after it comes back, too.
  expect(shortly(await transport.choose('c', second?.id ?? ''))).toBe('Hello / answer 2 / Go on / answer 3')
  await expect(transport.choose('c', 'none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await transport.branches('c', 'none')).toEqual([])
})

it('an answer to a message in the middle, or to one that was changed, is a branch there', async () => {
  const { page } = site()
  let answers = 0
  const { chat, transport } = await page({ script: () => ({ text: [`answer ${++answers}`] }) })
  await chat.sendMessage({ text: 'One' })
  const [question, first] = chat.messages
  await chat.sendMessage({ text: 'Two' })
  await chat.regenerate({ messageId: first?.id ?? '' })
  expect(shortly(await transport.loadMessages('c'))).toBe('One / answer 3')
  await chat.sendMessage({ text: 'Uno', messageId: question?.id ?? '' })
  expect(shortly(await transport.loadMessages('c'))).toBe('Uno / answer 4')
  expect(await transport.branches('c', first?.id ?? '')).toHaveLength(3)
  expect(shortly(await transport.choose('c', first?.id ?? ''))).toBe('One / answer 1 / Two / answer 2')
})

it('an answer that is stopped stays as far as it came, and the next one may be asked for', async () => {
  const { page } = site()
  const one = await page({ before: (piece) => (piece === 'see.' ? never : undefined) })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('Let me ')
  await one.chat.stop()
  expect(one.chat.status).toBe('ready')
  await expect.poll(async () => shortly(await one.transport.loadMessages('c')), soon).toBe('Lisbon / Let me ')
  expect(await one.transport.reconnectToStream({ chatId: 'c' })).toBeNull()
  const two = await page({ script: () => ({ text: ['yes'] }) })
  await two.chat.sendMessage({ text: 'And now?' })
  expect(shortly(two.chat.messages)).toBe('Lisbon / Let me  / And now? / yes')
})

it('a tool that is under way when its answer is stopped is waited for, and not used again', async () => {
  const { page, booked } = site()
  let finish: () => void = () => {}
  const booking = new Promise<void>((resolve) => (finish = resolve))
  const one = await page({ onBook: () => booking })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => booked.length, soon).toBe(1)
  await one.chat.stop()
  finish()
  const stored = 'Lisbon / Let me see.|search:output-available|book:output-available'
  await expect.poll(async () => shortly(await one.transport.loadMessages('c')), soon).toBe(stored)
  one.chat.messages = await one.transport.loadMessages('c')
  await one.chat.sendMessage()
  expect(shortly(one.chat.messages)).toBe(WHOLE)
  expect(booked).toHaveLength(1)
})

it('so is one that was approved', async () => {
  const { page, booked } = site()
  let finish: () => void = () => {}
  const booking = new Promise<void>((resolve) => (finish = resolve))
  const { chat, transport } = await page({ needsApproval: true, onBook: () => booking })
  await chat.sendMessage({ text: 'Lisbon' })
  const part = chat.messages[1]?.parts.at(-1)
  await chat.addToolApprovalResponse({ id: approvalIn(part), approved: true })
  void chat.sendMessage()
  await expect.poll(() => booked.length, soon).toBe(1)
  await chat.stop()
  finish()
  const stored = 'Lisbon / Let me see.|search:output-available|book:output-available'
  await expect.poll(async () => shortly(await transport.loadMessages('c')), soon).toBe(stored)
  expect(booked).toHaveLength(1)
})

it.each(['stream-start', 'text-start', 'You ', 'finish'])(
  'a step that was cut off at %s is shown once',
  async (at) => {
    const { page } = site()
    let results = 0
    const script: typeof trip = (prompt) => {
      results = resultsIn(prompt)
      return trip(prompt)
    }
    const one = await page({ script, before: (piece) => (results === 2 && piece === at ? never : undefined) })
    void one.chat.sendMessage({ text: 'Lisbon' })
    await expect.poll(() => results, soon).toBe(2)
    await one.checkpointer.flush()
    await one.checkpointer.close()
    const two = await page()
    await two.chat.resumeStream()
    expect(shortly(two.chat.messages)).toBe(WHOLE)
    expect(stepStarts(two.chat.messages)).toBe(3)
    expect(await two.transport.loadMessages('c')).toEqual(two.chat.messages.map(clean))
  },
)

it('a step of which only its start is stored is begun anew, though the one before it had calls', async () => {
  const steps = [
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'call', toolName: 'search', input: {} },
    { type: 'tool-output-available', toolCallId: 'call', output: 'TP 1351' },
    { type: 'finish-step' },
    { type: 'start-step' },
  ] satisfies UIMessageChunk[]
  const { page } = site()
  const one = await page({
    wrapped: () => ({
      reconnectToStream: async () => null,
      sendMessages: async () =>
        new ReadableStream({ start: (controller) => steps.forEach((chunk) => controller.enqueue(chunk)) }),
    }),
  })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('output-available')
  await one.checkpointer.flush()
  await one.checkpointer.close()
  const two = await page({ script: () => ({ text: ['TP 1351.'] }) })
  await two.chat.resumeStream()
  expect(shortly(two.chat.messages)).toBe('Lisbon / search:output-available|TP 1351.')
  expect(stepStarts(two.chat.messages)).toBe(2)
})

it('what a model fails with is shown, also after a reload, and the answer goes on when it is asked for', async () => {
  const { page, booked } = site()
  const fail = (piece: string): void => {
    if (piece === 'with ') throw new Error('overloaded')
  }
  const one = await page({ before: fail })
  await one.chat.sendMessage({ text: 'Lisbon' })
  expect([one.chat.status, one.chat.error?.message]).toEqual(['error', 'overloaded'])
  expect((await one.thread.latestRun())?.status).toBe('failed')
  await one.checkpointer.close()

  const two = await page()
  await two.chat.resumeStream()
  expect([two.chat.status, two.chat.error?.message]).toEqual(['error', 'overloaded'])
  expect(shortly(two.chat.messages)).toMatch(/You fly $/)
  expect(two.model.doStreamCalls).toHaveLength(0)
  await two.chat.sendMessage()
  expect(two.chat.status).toBe('ready')
  expect(shortly(two.chat.messages)).toBe(WHOLE)
  expect(two.model.doStreamCalls).toHaveLength(1)
  expect(booked).toHaveLength(1)
  expect(await two.transport.loadMessages('c')).toEqual(two.chat.messages.map(clean))
})

it('another tab follows an answer live, and goes on with it when its tab is gone', async () => {
  const { page, booked } = site()
  let isOpen = false
  const one = await page({ before: (piece) => (piece === 'with ' && !isOpen ? never : undefined) })
  void one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('|You ')
  const two = await page()
  const following = two.chat.resumeStream()
  await expect.poll(() => shortly(two.chat.messages), soon).toBe(shortly(one.chat.messages))
  expect(two.chat.status).toBe('streaming')
  isOpen = true
  await one.checkpointer.close()
  await following
  expect(shortly(two.chat.messages)).toBe(WHOLE)
  expect(stepStarts(two.chat.messages)).toBe(3)
  expect(booked).toHaveLength(1)
})

it('another tab follows an answer to its end, and may not send meanwhile', async () => {
  const { page } = site()
  let go: () => void = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const one = await page({ before: (piece) => (piece === 'me ' ? gate : undefined) })
  const answering = one.chat.sendMessage({ text: 'Lisbon' })
  await expect.poll(() => shortly(one.chat.messages), soon).toContain('Let ')
  const two = await page()
  await two.chat.sendMessage({ text: 'Me too' })
  expect(two.chat.error).toMatchObject({ code: 'BLOCKED' })
  two.chat.messages = await two.transport.loadMessages('c')
  const following = two.chat.resumeStream()
  await expect.poll(() => shortly(two.chat.messages), soon).toContain('Let ')
  go()
  await Promise.all([answering, following])
  expect(shortly(two.chat.messages)).toBe(WHOLE)
  expect(two.chat.messages.map(clean)).toEqual(one.chat.messages.map(clean))
})

it('an approval that was asked for outlives a reload, and what it allows is done once', async () => {
  const { page, booked } = site()
  const one = await page({ needsApproval: true })
  await one.chat.sendMessage({ text: 'Lisbon' })
  expect(shortly(one.chat.messages)).toMatch(/book:approval-requested$/)
  await one.checkpointer.close()

  const two = await page({ needsApproval: true, onBook: () => never })
  expect(await two.transport.reconnectToStream({ chatId: 'c' })).toBeNull()
  expect(shortly(two.chat.messages)).toMatch(/book:approval-requested$/)
  const part = two.chat.messages[1]?.parts.at(-1)
  await two.chat.addToolApprovalResponse({ id: approvalIn(part), approved: true })
  void two.chat.sendMessage()
  await expect.poll(() => booked.length, soon).toBe(1)
  await two.checkpointer.close()

  const three = await page({ needsApproval: true })
  expect(shortly(three.chat.messages)).toMatch(/book:approval-responded$/)
  await three.chat.resumeStream()
  expect(three.chat.status).toBe('ready')
  expect(booked).toEqual(['TP 1351'])
  expect(shortly(three.chat.messages)).toBe(
    'Lisbon / Let me see.|search:output-available|book:output-error|You fly with TP 1351.',
  )
})

const approvalIn = (part: UIMessage['parts'][number] | undefined): string =>
  part && 'approval' in part ? (part.approval?.id ?? '') : ''

const clean = <T>(value: T): T => JSON.parse(JSON.stringify(value))

const stepStarts = (messages: readonly UIMessage[]): number =>
  messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'step-start').length
