import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import { Agent, tool } from '@openai/agents-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hangsAt, site, soon, typesOf } from './ground.ts'

const RESULT = 'function_call_result'

/** Looks, and then asks whether it may; `look` waits for what it is given. */
function asking(look: () => void | Promise<void>, isGoneOnWith: boolean): Agent {
  const script = [
    [functionCall('look', {}, { callId: 'call-1' })],
    [functionCall('act', {}, { callId: 'call-2' })],
    [assistantMessage('Done.')],
  ]
  const parameters = z.object({})
  return new Agent({
    name: 'asking',
    model: new ScriptedModel(isGoneOnWith ? script.slice(1) : script),
    tools: [
      tool({
        name: 'look',
        description: 'Looks',
        parameters,
        execute: async () => {
          await look()
          return 'seen'
        },
      }),
      tool({ name: 'act', description: 'Acts', parameters, needsApproval: true, execute: () => 'acted' }),
    ],
  })
}

describe.each([
  ['streamed', true],
  ['not streamed', false],
])('a run, %s,', (_name, isStreamed) => {
  const how = (): { onEvent?: () => void } => (isStreamed ? { onEvent: () => {} } : {})

  it('that another runner has taken over writes nothing more into the session', async () => {
    const { page } = site()
    const one = await page()
    const two = await page()
    let goOn = (): void => {}
    const looking = new Promise<void>((resolve) => (goOn = resolve))
    let isLooking = false
    const look = (): Promise<void> => {
      isLooking = true
      return looking
    }
    const replaced = one.session.run(asking(look, false), 'Go', how()).catch((error: unknown) => error)
    await expect.poll(() => isLooking, soon).toBe(true)
    await (await two.checkpointer.thread('trip', { namespace: 'run' }).lease({ steal: true })).release()

    const end = await two.session.resume(
      asking(() => {}, true),
      { ...how() },
    )
    expect(end?.interruptions).toHaveLength(1)
    const kept = await two.session.loadRun()
    goOn()
    expect(await replaced).toMatchObject({ code: 'LEASE_LOST' })
    expect(await typesOf(two.session)).toEqual(['message', 'function_call', RESULT, 'function_call'])
    expect(await two.session.loadRun()).toBe(kept)
    expect(kept).toBeDefined()
  })

  it('that another runner has taken over does not drop the run that is kept', async () => {
    const { page } = site()
    const one = await page()
    const two = await page()
    let goOn = (): void => {}
    const looking = new Promise<void>((resolve) => (goOn = resolve))
    const replaced = one.session
      .run(
        asking(() => looking, false),
        'Go',
        how(),
      )
      .catch((error: unknown) => error)
    const runs = two.checkpointer.thread('trip', { namespace: 'run' })
    await expect.poll(async () => (await runs.latestRun())?.status, soon).toBe('running')
    await two.session.saveRun('{"waits":1}')
    await (await runs.lease({ steal: true })).release()
    goOn()
    expect(await replaced).toMatchObject({ code: 'LEASE_LOST' })
    expect(await two.session.loadRun()).toBe('{"waits":1}')
  })
})

it('a session that is deleted while it is run does not come back', async () => {
  const { page, done } = site()
  const { checkpointer, agent, session } = await page({ after: hangsAt('book') })
  const running = session.run(agent, 'Fly me to Lisbon').catch((error: unknown) => error)
  await expect.poll(() => done, soon).toHaveLength(2)
  await session.delete()
  expect(await running).toMatchObject({ code: 'LEASE_LOST' })
  expect(await session.getItems()).toEqual([])
  expect(await checkpointer.thread('trip').namespaces()).toEqual([])
})
