import {
  Agent,
  MemorySession,
  OutputGuardrailTripwireTriggered,
  run,
  Runner,
  RunState,
} from '@openai/agents-core'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { tripAgent } from '../../support/scripted-trip.ts'

let checkpointer: Checkpointer
let done: string[]
beforeEach(async () => {
  checkpointer = await openCheckpointer({ name: 'runs', storage: memoryStorage() })
  done = []
})

/** As after a reload: nothing is shared with what was before, but the storage. */
const page = () => ({
  agent: tripAgent((what) => done.push(what)),
  session: new ForkpointSession(checkpointer, 'trip'),
})
const typesOf = async (session: ForkpointSession) => (await session.getItems()).map(({ type }) => type)

async function untilItAsks(): Promise<void> {
  const { agent, session } = page()
  const { interruptions, state } = await run(agent, 'Fly me to Lisbon', { session })
  expect(interruptions).toHaveLength(1)
  await session.saveRun(state)
}

it('a run that waits for an approval goes on in another page, with nothing done twice', async () => {
  await untilItAsks()
  const { agent, session } = page()
  const state = await RunState.fromString(agent, (await session.loadRun()) ?? '')
  const [asked] = state.getInterruptions()
  if (!asked) throw new Error('it asks')
  expect(asked.name).toBe('book')
  state.approve(asked)
  const end = await new Runner().run(agent, state, { session })
  await session.dropRun()
  expect(end.finalOutput).toBe('You fly with TP 1351.')
  expect(done).toEqual(['search Lisbon', 'book TP 1351'])
  const result = 'function_call_result'
  expect(await typesOf(session)).toEqual([
    'message',
    'function_call',
    result,
    'function_call',
    result,
    'message',
  ])
  expect(await page().session.loadRun()).toBeUndefined()
  const more = await run(page().agent, 'And now?', { session: page().session })
  expect(more.finalOutput).toBe('You do still.')
  expect(await typesOf(session)).toHaveLength(8)
})

it('an approval that was given before the reload need not be given again', async () => {
  await untilItAsks()
  const before = page()
  const state = await RunState.fromString(before.agent, (await before.session.loadRun()) ?? '')
  for (const asked of state.getInterruptions()) state.approve(asked)
  await before.session.saveRun(state)
  const { agent, session } = page()
  const text = await session.loadRun()
  expect(text).toBe(state.toString())
  const end = await run(agent, await RunState.fromString(agent, text ?? ''), { session })
  expect(end.finalOutput).toBe('You fly with TP 1351.')
  expect(done).toEqual(['search Lisbon', 'book TP 1351'])
})

it('a fork goes on from the items, and waits for nothing', async () => {
  await untilItAsks()
  const { agent, session } = page()
  const twin = await session.fork()
  expect(await twin.loadRun()).toBeUndefined()
  expect(await typesOf(twin)).toEqual(await typesOf(session))
  const [asked] = (await run(agent, 'Fly after all', { session: twin })).interruptions
  expect(asked?.name).toBe('book')
  expect(await typesOf(session)).toHaveLength(4)
  expect(await session.loadRun()).toBeDefined()
})

it('a session that is cleared has no run that waits, until one is taken up from its history', async () => {
  await untilItAsks()
  const { session } = page()
  await session.clearSession()
  expect(await session.loadRun()).toBeUndefined()
  await session.dropRun()
  const nodes: unknown[] = []
  for await (const { node } of session.history()) nodes.push(node)
  expect(nodes).toEqual(['clear', 'run', 'add'])
})

it('streamed, a run ends in the session as well', async () => {
  const { agent, session } = page()
  const streamed = await run(agent, 'Fly me to Lisbon', { session, stream: true })
  for await (const event of streamed) void event
  await streamed.completed
  expect(streamed.interruptions).toHaveLength(1)
  await session.saveRun(streamed.state)
  const next = page()
  const state = await RunState.fromString(next.agent, (await next.session.loadRun()) ?? '')
  for (const asked of state.getInterruptions()) state.reject(asked)
  const end = await run(next.agent, state, { session: next.session })
  expect(end.finalOutput).toBe('You fly with TP 1351.')
  expect(done).toEqual(['search Lisbon'])
})

describe('an output guardrail that trips', () => {
  const guarded = (): Agent => {
    const { tools, model } = tripAgent((what) => done.push(what), { isAsked: false })
    return new Agent({
      name: 'travel',
      model,
      tools,
      outputGuardrails: [
        { name: 'never', execute: async () => ({ tripwireTriggered: true, outputInfo: {} }) },
      ],
    })
  }
  const nodesOf = async (session: ForkpointSession): Promise<unknown[]> => {
    const nodes: unknown[] = []
    for await (const { node } of session.history()) nodes.push(node)
    return nodes
  }

  it('has the SDK replace what it had stored, in one transaction, as in a session of its own', async () => {
    const { session } = page()
    const theirs = new MemorySession()
    for (const each of [session, theirs])
      await expect(run(guarded(), 'Fly me to Lisbon', { session: each })).rejects.toThrow(
        OutputGuardrailTripwireTriggered,
      )
    expect(await session.getItems()).toEqual(await theirs.getItems())
    expect(JSON.stringify(await session.getItems())).not.toContain('You fly with')
    expect(await nodesOf(session)).toContain('transaction')
  })

  it('does so in a journal as well, and once when its run is taken up again', async () => {
    const { session } = page()
    const theirs = new MemorySession()
    const tripped = OutputGuardrailTripwireTriggered
    await expect(run(guarded(), 'Fly me to Lisbon', { session: theirs })).rejects.toThrow(tripped)
    await expect(session.run(guarded(), 'Fly me to Lisbon')).rejects.toThrow(tripped)
    const items = await theirs.getItems()
    expect(await session.getItems()).toEqual(items)
    await expect(page().session.resume(guarded(), { retry: true })).rejects.toThrow(tripped)
    expect(await session.getItems()).toEqual(items)
    expect(done.filter((what) => what.startsWith('book'))).toHaveLength(2)
  })
})
