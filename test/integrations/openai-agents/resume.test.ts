import 'fake-indexeddb/auto'
import { Agent, MemorySession, run, RunState, Runner, shellTool, tool } from '@openai/agents-core'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hangsAt, site, soon, typesOf } from './ground.ts'

const RESULT = 'function_call_result'
const WHOLE = ['message', 'function_call', RESULT, 'function_call', RESULT, 'message']

describe.each([
  ['streamed', true],
  ['not streamed', false],
])('a run, %s,', (_name, isStreamed) => {
  const how = (): { onEvent?: () => void } => (isStreamed ? { onEvent: () => {} } : {})

  it('comes to what it comes to without it', async () => {
    const { page } = site()
    const { agent, session } = await page()
    const { finalOutput } = await session.run(agent, 'Fly me to Lisbon', how())
    const theirs = new MemorySession()
    expect(finalOutput).toBe((await run(agent, 'Fly me to Lisbon', { session: theirs })).finalOutput)
    expect(await session.getItems()).toEqual(await theirs.getItems())
    expect(await session.resume(agent, how())).toBeUndefined()
    const more = await session.run(agent, 'And now?', how())
    expect(more.finalOutput).toBe('You do still.')
    expect(await typesOf(session)).toEqual([...WHOLE, 'message', 'message'])
  })

  it('that was cut off in a tool goes on in another page, and does nothing again', async () => {
    const { page, done, asked } = site()
    const one = await page({ after: hangsAt('book') })
    void one.session.run(one.agent, 'Fly me to Lisbon', how()).catch(() => {})
    await expect.poll(() => done, soon).toEqual(['search Lisbon', 'book TP 1351'])
    await one.checkpointer.close()

    const two = await page()
    const end = await two.session.resume(two.agent, how())
    expect(end?.finalOutput).toBe('You fly with TP 1351.')
    expect(done).toEqual(['search Lisbon', 'book TP 1351'])
    expect(asked()).toBe(3)
    expect(await typesOf(two.session)).toEqual(WHOLE)
    expect(JSON.stringify(await two.session.getItems())).toContain('It is not known whether this was done')
    expect(await two.session.resume(two.agent, how())).toBeUndefined()
  })

  it('uses a tool again that changes nothing', async () => {
    const { page, done, asked } = site()
    const one = await page({ after: hangsAt('search') })
    void one.session.run(one.agent, 'Fly me to Lisbon', how()).catch(() => {})
    await expect.poll(() => done, soon).toHaveLength(1)
    await one.checkpointer.close()
    const two = await page()
    const end = await two.session.resume(two.agent, { ...how(), repeatable: ['search'] })
    expect(end?.finalOutput).toBe('You fly with TP 1351.')
    expect(done).toEqual(['search Lisbon', 'search Lisbon', 'book TP 1351'])
    expect(asked()).toBe(3)
  })

  it('that has failed is taken up when that is wanted, and does nothing again', async () => {
    const { page, done } = site()
    let isDown = true
    const onModel = (): void => {
      if (done.length === 1 && isDown) throw new Error('overloaded')
    }
    const one = await page({ onModel })
    await expect(one.session.run(one.agent, 'Fly me to Lisbon', how())).rejects.toThrow('overloaded')
    await one.checkpointer.close()
    isDown = false
    const two = await page({ onModel })
    expect(await two.session.resume(two.agent, how())).toBeUndefined()
    const end = await two.session.resume(two.agent, { ...how(), retry: true })
    expect(end?.finalOutput).toBe('You fly with TP 1351.')
    expect(done).toEqual(['search Lisbon', 'book TP 1351'])
    expect(await typesOf(two.session)).toEqual(WHOLE)
  })
})

it('a run that waits for an approval may be cut off after it, and goes on', async () => {
  const { page, done } = site()
  const one = await page({ isAsked: true })
  const { interruptions } = await one.session.run(one.agent, 'Fly me to Lisbon')
  expect(interruptions).toHaveLength(1)
  await one.checkpointer.close()

  const two = await page({ isAsked: true, after: hangsAt('book') })
  expect(await two.session.resume(two.agent)).toBeUndefined()
  const state = await RunState.fromString(two.agent, (await two.session.loadRun()) ?? '')
  for (const asked of state.getInterruptions()) state.approve(asked)
  void two.session.run(two.agent, state).catch(() => {})
  await expect.poll(() => done, soon).toEqual(['search Lisbon', 'book TP 1351'])
  await two.checkpointer.close()

  const three = await page({ isAsked: true })
  const end = await three.session.resume(three.agent)
  expect(end?.finalOutput).toBe('You fly with TP 1351.')
  expect(done).toEqual(['search Lisbon', 'book TP 1351'])
  expect(await typesOf(three.session)).toEqual(WHOLE)
  expect(await three.session.loadRun()).toBeUndefined()
})

it('a run that was cut off is not forgotten for a new one', async () => {
  const { page, done } = site()
  const one = await page({ after: hangsAt('book') })
  void one.session.run(one.agent, 'Fly me to Lisbon').catch(() => {})
  await expect.poll(() => done, soon).toHaveLength(2)
  await one.checkpointer.close()
  const two = await page()
  await expect(two.session.run(two.agent, 'And now?')).rejects.toMatchObject({ code: 'CONFLICT' })
  await two.session.resume(two.agent)
  expect((await two.session.run(two.agent, 'And now?')).finalOutput).toBe('You do still.')
})

it('a session that begins anew leaves a run behind that was cut off', async () => {
  const { page, done } = site()
  const one = await page({ after: hangsAt('book') })
  void one.session.run(one.agent, 'Fly me to Lisbon').catch(() => {})
  await expect.poll(() => done, soon).toHaveLength(2)
  await one.checkpointer.close()
  const two = await page()
  await two.session.clearSession()
  expect(await two.session.resume(two.agent)).toBeUndefined()
  const { finalOutput } = await two.session.run(two.agent, 'Fly me to Lisbon')
  expect(finalOutput).toBe('You fly with TP 1351.')
  expect(await typesOf(two.session)).toEqual(WHOLE)
})

it('the agent that has spoken last can be gone on with', async () => {
  const { page } = site()
  const { agent, session } = await page()
  const end = await session.run(agent, 'Fly me to Lisbon')
  expect(end.lastAgent).toBe(agent)
  const more = await session.run(end.lastAgent ?? new Agent({ name: 'none' }), 'And now?')
  expect(more.finalOutput).toBe('You do still.')
})

it('a tool is used whatever the length of the id of its call', async () => {
  const { page } = site()
  const { session } = await page()
  const used: string[] = []
  const echo = tool({
    name: 'echo',
    description: 'Says it again',
    parameters: z.object({ text: z.string() }),
    execute: ({ text }) => {
      used.push(text)
      return text
    },
  })
  const long = '€'.repeat(2000)
  const calls = ['a', 'b'].map((text) => functionCall('echo', { text }, { callId: `${long}${text}` }))
  const model = new ScriptedModel([calls, [assistantMessage('Said.')]])
  const end = await session.run(new Agent({ name: 'echoing', model, tools: [echo] }), 'Say a and b')
  expect(end.finalOutput).toBe('Said.')
  expect(used).toEqual(['a', 'b'])
})

it('an agent that another has handed over to does nothing again either, and its models may be named', async () => {
  const { page, done } = site()
  const one = await page({ after: hangsAt('book') })
  const asked: string[] = []
  const deskOver = (agent: Agent): [Agent, Runner] => {
    const scripted = new ScriptedModel([
      [
        {
          type: 'function_call',
          callId: 'over',
          name: 'transfer_to_travel',
          arguments: '{}',
          status: 'completed',
        },
      ],
    ])
    const getModel = (model = ''): ScriptedModel => {
      asked.push(model)
      return scripted
    }
    const runner = new Runner({ modelProvider: { getModel }, tracingDisabled: true })
    return [new Agent({ name: 'desk', model: 'small', handoffs: [agent] }), runner]
  }
  const [desk, runner] = deskOver(one.agent)
  void one.session.run(desk, 'Book it', { runner }).catch(() => {})
  await expect.poll(() => done, soon).toEqual(['book TP 1351'])
  await one.checkpointer.close()

  const two = await page()
  const [again, other] = deskOver(two.agent)
  const end = await two.session.resume(again, { runner: other })
  expect(end?.finalOutput).toBe('You fly with TP 1351.')
  expect(end?.lastAgent?.name).toBe('travel')
  expect(done).toEqual(['book TP 1351'])
  expect(asked).toContain('small')
})

it('options that there are none of are refused', async () => {
  const { page } = site()
  const { agent, session } = await page()
  const wrong = { repeatble: ['search'] } as object
  await expect(session.run(agent, 'Hello', wrong)).rejects.toMatchObject({ code: 'INVALID' })
  expect(await session.getItems()).toEqual([])
})

it('what cannot be kept from being done twice is refused', async () => {
  const { page } = site()
  const { session } = await page()
  const shell = shellTool({ shell: { run: async () => ({ output: [] }) } })
  const agent = new Agent({
    name: 'root',
    model: new ScriptedModel([[assistantMessage('x')]]),
    tools: [shell],
  })
  await expect(session.run(agent, 'Clean up')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

it('who listens to an agent or a runner hears of its run', async () => {
  const { page } = site()
  const { agent, session } = await page()
  const heard: string[] = []
  const runner = new Runner({ tracingDisabled: true })
  agent.on('agent_tool_start', (_context, { name }) => heard.push(`agent ${name}`))
  runner.on('agent_tool_start', (_context, _agent, { name }) => heard.push(`runner ${name}`))
  await session.run(agent, 'Fly me to Lisbon', { runner })
  expect(heard.toSorted()).toEqual(['agent book', 'agent search', 'runner book', 'runner search'])
})
