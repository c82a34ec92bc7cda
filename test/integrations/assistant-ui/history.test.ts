import type { ExportedMessageRepository, MessageFormatAdapter, ThreadMessage } from '@assistant-ui/react'
import fc from 'fast-check'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointHistory } from 'forkpoint/assistant-ui'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { assistantMessage, userMessage } from '../../support/messages.ts'

let checkpointer: Checkpointer
let history: ForkpointHistory
/** As after a reload, or in another tab. */
const again = (): ForkpointHistory => new ForkpointHistory(checkpointer, 'chat')
beforeEach(async () => {
  checkpointer = await openCheckpointer({ name: 'chats', storage: memoryStorage() })
  history = again()
})

const put = (message: ThreadMessage, parentId: string | null, to = history): Promise<void> =>
  to.append({ message, parentId })
/** Each as `parent > message`, with the head in front. */
const shape = ({ headId, messages }: ExportedMessageRepository): string =>
  [headId, ...messages.map(({ message, parentId }) => `${parentId}>${message.id}`)].join(' ')
const shown = async (of = again()): Promise<string> => shape(await of.load())
const states = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const { state } of checkpointer
    .thread<{ messages: { id: string }[] }>('chat')
    .history({ states: true }))
    found.push(state.messages.map(({ id }) => id).join())
  return found
}

describe('what was appended', () => {
  it('is there after a reload, as it was', async () => {
    const question = userMessage('a')
    const answer = assistantMessage('b')
    await history.append({ message: question, parentId: null, runConfig: { custom: { model: 'm' } } })
    await put(answer, 'a')
    expect(await again().load()).toEqual({
      headId: 'b',
      messages: [
        { message: question, parentId: null, runConfig: { custom: { model: 'm' } } },
        { message: answer, parentId: 'a' },
      ],
    })
  })

  it('is nothing at first', async () => {
    expect(await history.load()).toEqual({ headId: null, messages: [] })
  })

  it('keeps its branches, the latest in front', async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b'), 'a')
    await put(assistantMessage('b2'), 'a')
    await put(userMessage('c'), 'b2')
    await put(userMessage('a2'), null)
    expect(await shown()).toBe('a2 null>a a>b a>b2 b2>c null>a2')
    await put(userMessage('d'), 'b')
    expect(await shown()).toBe('d null>a a>b b>d a>b2 b2>c null>a2')
  })

  it('is a checkpoint on that of the message before it, with all that was said up to it', async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b'), 'a')
    await put(assistantMessage('b2'), 'a')
    expect(await states()).toEqual(['a,b2', 'a,b', 'a'])
    const { parentId } = (await checkpointer.thread('chat').load('b2')) ?? {}
    expect(parentId).toBe('a')
  })

  it('need not be awaited before the next is', async () => {
    const file = new File([new Uint8Array(100_000)], 'big')
    const attachments = [
      { id: 'f', type: 'file', name: 'big', content: [], status: { type: 'complete' }, file },
    ] as const
    const question = { ...userMessage('a'), attachments } as unknown as ThreadMessage
    await Promise.all([put(question, null), put(assistantMessage('b'), 'a'), put(userMessage('c'), 'b')])
    expect(await shown()).toBe('c null>a a>b b>c')
  })

  it('is refused when what it follows is not there', async () => {
    await expect(put(userMessage('b'), 'a')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await shown()).toBe('')
  })

  it('comes back with its files, byte for byte', async () => {
    const file = new File([new Uint8Array([0, 255, 7])], 'a/../b.bin', { type: 'image/png', lastModified: 5 })
    const image = { type: 'image', image: 'data:image/png;base64,AP8H' } as const
    const attachments = [
      {
        id: 'f',
        type: 'image',
        name: file.name,
        contentType: 'image/png',
        content: [image],
        status: { type: 'complete' },
        file,
      },
      { id: 'g', type: 'file', name: 'no file', content: [], status: { type: 'complete' } },
    ]
    await put({ ...userMessage('a'), attachments } as ThreadMessage, null)
    const [first, second] = (await again().load()).messages[0]?.message.attachments ?? []
    expect({ ...first, file: undefined }).toEqual({ ...attachments[0], file: undefined })
    expect(second).toEqual(attachments[1])
    const back = first?.file
    if (!back) throw new Error('it had a file')
    const { name, type, lastModified } = back
    expect({ name, type, lastModified }).toEqual({ name: 'a/../b.bin', type: 'image/png', lastModified: 5 })
    expect(new Uint8Array(await back.arrayBuffer())).toEqual(new Uint8Array([0, 255, 7]))
  })

  it('may have any id', async () => {
    const ids = ['__proto__', '../x', '5', 'a\u0000b', 'constructor', ' ', '\ud800', 'x'.repeat(256)]
    let parentId: string | null = null
    for (const id of ids) {
      await put(userMessage(id), parentId)
      parentId = id
    }
    expect((await again().load()).messages.map(({ message }) => message.id)).toEqual(ids)
    await expect(put(userMessage('x'.repeat(257)), null)).rejects.toMatchObject({ code: 'INVALID' })
    await expect(put(userMessage(''), null)).rejects.toMatchObject({ code: 'INVALID' })
  })
})

it('a thread of somebody else is refused, and left as it is', async () => {
  await checkpointer.thread('chat').save({ messages: ['a text'] })
  await expect(history.load()).rejects.toMatchObject({ code: 'UNSUPPORTED', thread: 'chat' })
  await expect(put(userMessage('b'), 'a')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await expect(history.update({ message: userMessage('b'), parentId: null })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
})

describe('the same message again', () => {
  it('is one, and costs nothing when nothing has changed', async () => {
    await put(userMessage('a'), null)
    await Promise.all([put(userMessage('a'), null), put(userMessage('a'), null, again())])
    expect(await shown()).toBe('a null>a')
    expect(await states()).toEqual(['a'])
  })

  it('takes the place of the one before', async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b', 'let me see'), 'a')
    await history.update({ message: assistantMessage('b', 'it is five'), parentId: 'a' })
    await put(userMessage('c'), 'b')
    const { headId, messages } = await again().load()
    expect(headId).toBe('c')
    expect(messages.map(({ message }) => message.content)).toEqual(
      ['a', 'it is five', 'c'].map((text) => [{ type: 'text', text }]),
    )
    // What followed went on from what it was changed to.
    expect(await states()).toEqual(['a,b,c', 'a,b', 'a,b', 'a'])
    const { state } = (await checkpointer.thread<ThreadMessage>('chat').load()) ?? {}
    expect(JSON.stringify(state)).not.toContain('let me see')
  })

  it('leaves the head all that was said, when it is an earlier one', async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b'), 'a')
    await history.update({ message: userMessage('a', 'changed'), parentId: null })
    const { state } = (await checkpointer.thread('chat').load()) ?? {}
    expect(state).toMatchObject({ messages: [{ content: { content: [{ text: 'changed' }] } }, { id: 'b' }] })
    await put(userMessage('c'), 'b')
    expect((await states())[0]).toBe('a,b,c')
  })

  it('is appended by an update, where its first write has failed', async () => {
    await put(userMessage('a'), null)
    await history.update({ message: assistantMessage('b'), parentId: 'a' })
    expect(await shown()).toBe('b null>a a>b')
  })

  it('shows its latest version on all branches, and does not take the head', async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b'), 'a')
    await put(assistantMessage('b2'), 'a')
    await history.update({ message: userMessage('a', 'changed'), parentId: null })
    await history.update({ message: assistantMessage('b', 'changed too'), parentId: 'a' })
    const { headId, messages } = await again().load()
    expect(headId).toBe('b2')
    expect(messages.map(({ message }) => message.content[0])).toEqual(
      ['changed', 'changed too', 'b2'].map((text) => ({ type: 'text', text })),
    )
  })
})

describe('what was deleted', () => {
  beforeEach(async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b'), 'a')
    await put(userMessage('c'), 'b')
    await put(userMessage('c2'), 'b')
  })

  it('is gone, and what followed it follows what was before it', async () => {
    await history.delete([{ message: assistantMessage('b'), parentId: 'a' }])
    expect(await shown()).toBe('c2 null>a a>c a>c2')
    await put(assistantMessage('d'), 'c2')
    expect(await shown()).toBe('d null>a a>c a>c2 c2>d')
  })

  it('gives the head to what was before it', async () => {
    await history.delete([{ message: userMessage('c2'), parentId: 'b' }])
    expect(await shown()).toBe('b null>a a>b b>c')
    await history.delete([
      { message: userMessage('a'), parentId: null },
      { message: assistantMessage('b'), parentId: 'a' },
      { message: userMessage('c'), parentId: 'b' },
      { message: userMessage('never there'), parentId: 'b' },
    ])
    expect(await shown()).toBe('')
  })

  it('is still in the history', async () => {
    await history.delete([{ message: userMessage('c2'), parentId: 'b' }])
    const [before] = (await states()).slice(1)
    expect(before).toBe('a,b,c2')
  })
})

describe('two tabs', () => {
  it('that answer at once make branches, and lose nothing', async () => {
    await put(userMessage('a'), null)
    const other = again()
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => put(assistantMessage(`${i}`), 'a', i % 2 ? history : other)),
    )
    expect((await again().load()).messages).toHaveLength(11)
  })

  it('that change a message at once: it is what one of them made of it', async () => {
    await put(userMessage('a'), null)
    const other = again()
    await Promise.all([
      history.update({ message: userMessage('a', 'one'), parentId: null }),
      other.update({ message: userMessage('a', 'two'), parentId: null }),
    ])
    const { messages } = await again().load()
    expect(messages).toHaveLength(1)
    const left = messages[0]?.message.content[0]
    expect([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]).toContainEqual(left)
  })

  it('hear of each other, and not of themselves', async () => {
    const other = again()
    const heard: string[] = []
    history.subscribe(() => heard.push('mine'))
    other.subscribe(() => heard.push('other'))
    await put(userMessage('a'), null)
    await history.update({ message: userMessage('a', 'b'), parentId: null })
    await expect.poll(() => heard).toEqual(['other', 'other'])
    await put(userMessage('c'), 'a', other)
    await expect.poll(() => heard).toEqual(['other', 'other', 'mine'])
    expect(await shown(history)).toBe('c null>a a>c')
    await put(userMessage('x'), null, new ForkpointHistory(checkpointer, 'another'))
    await put(userMessage('d'), 'c')
    await expect.poll(() => heard).toEqual(['other', 'other', 'mine', 'other'])
  })

  it('a message that another tab has changed is gone on from as it is now', async () => {
    await put(userMessage('a'), null)
    const other = again()
    await other.load()
    await put(userMessage('b'), 'a', other)
    await put(assistantMessage('c'), 'b')
    expect(await shown()).toBe('c null>a a>b b>c')
  })
})

describe('a tree', () => {
  const kinds = fc.constantFrom('append', 'update', 'delete')
  it('is what a plain list of messages says, whatever is done to it', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(kinds, fc.nat(), fc.boolean()), { maxLength: 25 }),
        async (steps) => {
          const name = `tree ${run++}`
          const tabs = [new ForkpointHistory(checkpointer, name), new ForkpointHistory(checkpointer, name)]
          const list: { id: string; parentId: string | null; text: string; gone?: true }[] = []
          const parentOf = (id: string | null): string | null => {
            const found = list.find((each) => each.id === id)
            return found?.gone ? parentOf(found.parentId) : id
          }
          for (const [i, [kind, pick, isSecond]] of steps.entries()) {
            const tab = tabs[Number(isSecond)] ?? history
            const living = list.filter(({ gone }) => !gone)
            const chosen = living[pick % Math.max(living.length, 1)]
            if (kind === 'append' || !chosen) {
              const parentId = pick % 5 === 0 ? null : (chosen?.id ?? null)
              list.push({ id: `${i}`, parentId, text: `${i}` })
              await put(userMessage(`${i}`), parentId, tab)
            } else if (kind === 'update') {
              chosen.text = `changed ${i}`
              await tab.update({ message: userMessage(chosen.id, chosen.text), parentId: chosen.parentId })
            } else {
              chosen.gone = true
              await tab.delete([{ message: userMessage(chosen.id), parentId: chosen.parentId }])
            }
          }
          const living = list.filter(({ gone }) => !gone)
          const { headId, messages } = await new ForkpointHistory(checkpointer, name).load()
          expect(headId).toBe(parentOf(list.at(-1)?.id ?? null))
          expect(
            messages
              .map(({ message, parentId }) => `${parentId}>${message.id} ${JSON.stringify(message.content)}`)
              .toSorted(),
          ).toEqual(
            living
              .map(
                ({ id, parentId, text }) =>
                  `${parentOf(parentId)}>${id} ${JSON.stringify([{ type: 'text', text }])}`,
              )
              .toSorted(),
          )
          const seen = new Set<string | null>([null])
          for (const { message, parentId } of messages) {
            expect(seen).toContain(parentId)
            seen.add(message.id)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('survives a prune that leaves only the tips', async () => {
    await put(userMessage('a'), null)
    await put(assistantMessage('b'), 'a')
    await put(userMessage('c'), 'b')
    await put(userMessage('c2'), 'b')
    await put(assistantMessage('d'), 'c2')
    await checkpointer.thread('chat').prune({ keepLast: 1, ancestors: 'drop', branches: 'keep' })
    expect(await shown()).toBe('d null>a a>b b>c b>c2 c2>d')
    await put(userMessage('e'), 'd')
    expect(await shown()).toBe('e null>a a>b b>c b>c2 c2>d d>e')
  })

  const text = 'x'.repeat(500)
  async function say(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const message = i % 2 ? assistantMessage(`${i}`, text) : userMessage(`${i}`, text)
      await put(message, i === 0 ? null : `${i - 1}`)
    }
  }

  it('keeps less than five times what was said', async () => {
    await say(500)
    const { messages } = await again().load()
    expect((await checkpointer.usage()).bytes).toBeLessThan(5 * JSON.stringify(messages).length)
  })

  it('of 2,000 messages and twenty branches comes back whole', async () => {
    await say(2000)
    for (let i = 0; i < 20; i++) await put(assistantMessage(`again ${i}`, text), `${i * 100}`)
    const { messages, headId } = await again().load()
    expect(headId).toBe('again 19')
    const parents = new Map(messages.map(({ message, parentId }) => [message.id, parentId]))
    expect(parents.size).toBe(2020)
    for (let i = 1; i < 2000; i++) expect(parents.get(`${i}`)).toBe(`${i - 1}`)
    for (let i = 0; i < 20; i++) expect(parents.get(`again ${i}`)).toBe(`${i * 100}`)
  })
})

describe('with the format of another library', () => {
  interface UIMessage {
    readonly id: string
    readonly role: string
    readonly parts: readonly unknown[]
  }
  const format: MessageFormatAdapter<UIMessage, Record<string, unknown>> = {
    format: 'ai-sdk/v6',
    encode: ({ message: { role, parts } }) => ({ role, parts }),
    decode: ({ id, parent_id: parentId, content }) => ({
      parentId,
      message: { id, ...(content as Omit<UIMessage, 'id'>) },
    }),
    getId: ({ id }) => id,
  }
  const says = (id: string, text = id): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })

  it('messages come back as they were, with their branches', async () => {
    const formatted = history.withFormat(format)
    formatted.pin?.()
    await formatted.append({ message: says('a'), parentId: null })
    await formatted.append({ message: says('b'), parentId: 'a' })
    await formatted.append({ message: says('b2'), parentId: 'a' })
    await formatted.update?.({ message: says('b2', 'changed'), parentId: 'a' }, 'b2')
    const other = again().withFormat(format)
    expect(await other.load()).toEqual({
      headId: 'b2',
      messages: [
        { message: says('a'), parentId: null },
        { message: says('b'), parentId: 'a' },
        { message: says('b2', 'changed'), parentId: 'a' },
      ],
    })
    await other.delete?.([{ message: says('b2'), parentId: 'a' }])
    expect((await formatted.load()).headId).toBe('a')
  })

  it('each format sees its own messages', async () => {
    await put(userMessage('a'), null)
    await history.withFormat(format).append({ message: says('b'), parentId: 'a' })
    await put(assistantMessage('c'), 'b')
    expect(await shown()).toBe('c null>a a>c')
    expect(await again().withFormat(format).load()).toEqual({
      headId: 'b',
      messages: [{ message: says('b'), parentId: null }],
    })
  })
})
