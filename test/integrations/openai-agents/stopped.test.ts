import { describe, expect, it } from 'vitest'
import { hangsAt, site, soon, typesOf } from './ground.ts'

const RESULT = 'function_call_result'
const WHOLE = ['message', 'function_call', RESULT, 'function_call', RESULT, 'message']

describe.each([
  ['streamed', true],
  ['not streamed', false],
])('a run, %s, that its signal stops in a tool,', (_name, isStreamed) => {
  const how = (): { onEvent?: () => void } => (isStreamed ? { onEvent: () => {} } : {})

  /** What was asked, and what the model has said, until then. */
  async function stopped() {
    const { page, done } = site()
    const one = await page({ after: hangsAt('book') })
    const stop = new AbortController()
    const running = one.session.run(one.agent, 'Fly me to Lisbon', { ...how(), signal: stop.signal })
    const ended = running.catch((error: unknown) => error)
    await expect.poll(() => done, soon).toHaveLength(2)
    stop.abort(new Error('enough'))
    return { ...(await page()), ended: await ended }
  }

  it('rejects, and has not finished', async () => {
    const { checkpointer, ended } = await stopped()
    expect(ended).toMatchObject({ message: 'enough' })
    const runs = checkpointer.thread('trip', { namespace: 'run' })
    expect((await runs.latestRun())?.status).toBe('stopped')
  })

  it('has each item once when it is taken up again', async () => {
    const { session, agent } = await stopped()
    const end = await session.resume(agent, { ...how(), retry: true })
    expect(end?.finalOutput).toBe('You fly with TP 1351.')
    expect(await typesOf(session)).toEqual(WHOLE)
    expect(JSON.stringify(await session.getItems())).not.toContain('aborted')
  })
})

it('what a run that was stopped has come to is there for the next one', async () => {
  const { page, done } = site()
  const { session, agent } = await page({ after: hangsAt('book') })
  const stop = new AbortController()
  const running = session.run(agent, 'Fly me to Lisbon', { signal: stop.signal }).catch(() => {})
  await expect.poll(() => done, soon).toHaveLength(2)
  stop.abort()
  await running
  expect(await typesOf(session)).toEqual(WHOLE.slice(0, -1))
  expect(JSON.stringify(await session.getItems())).toContain('aborted')
})
