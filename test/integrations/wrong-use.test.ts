import { openCheckpointer, type Checkpointer, type Thread } from 'forkpoint'
import { ForkpointTransport } from 'forkpoint/ai-sdk'
import { ForkpointHistory, ForkpointThreads } from 'forkpoint/assistant-ui'
import { ForkpointSaver } from 'forkpoint/langgraph'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { memoryStorage } from 'forkpoint/storage/memory'
import { forkpointStorage } from 'forkpoint/store'
import { followActor, keepActor, savedSnapshot } from 'forkpoint/xstate'
import { DirectChatTransport, ToolLoopAgent } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it, onTestFinished } from 'vitest'
import { createActor, createMachine } from 'xstate'

const opened = async (): Promise<Checkpointer> => {
  const checkpointer = await openCheckpointer({ name: 'wrong', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  return checkpointer
}
const transport = new DirectChatTransport({ agent: new ToolLoopAgent({ model: new MockLanguageModelV4() }) })

const doors: Readonly<Record<string, (checkpointer: Checkpointer) => unknown>> = {
  ForkpointSaver: (checkpointer) => new ForkpointSaver(checkpointer),
  ForkpointTransport: (checkpointer) => new ForkpointTransport({ checkpointer, transport }),
  ForkpointHistory: (checkpointer) => new ForkpointHistory(checkpointer, 'chat'),
  ForkpointThreads: (checkpointer) => new ForkpointThreads(checkpointer),
  ForkpointSession: (checkpointer) => new ForkpointSession(checkpointer, 'session'),
  forkpointStorage: (checkpointer) => forkpointStorage(checkpointer),
}

it.each(Object.entries(doors))('%s takes a checkpointer, and not the promise of one', async (_name, door) => {
  const promise = opened()
  for (const wrong of [promise, undefined, null, {}, 'my-app', openCheckpointer])
    expect(() => door(wrong as Checkpointer)).toThrow(
      expect.objectContaining({
        code: 'INVALID',
        message: expect.stringContaining('await openCheckpointer'),
      }),
    )
  expect(door(await promise)).toBeDefined()
})

const machine = createMachine({ initial: 'on', states: { on: {} } })

it('an actor is kept in a thread, and not in a checkpointer', async () => {
  const wrong = (await opened()) as unknown as Thread
  expect(() => keepActor(wrong, createActor(machine))).toThrow(expect.objectContaining({ code: 'INVALID' }))
  await expect(savedSnapshot(wrong)).rejects.toMatchObject({ code: 'INVALID' })
})

it('an actor does not begin with what is no snapshot of one', async () => {
  const thread = (await opened()).thread('chat')
  await thread.save({ messages: [] })
  await expect(savedSnapshot(thread)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await expect(followActor(thread, machine).next()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})
