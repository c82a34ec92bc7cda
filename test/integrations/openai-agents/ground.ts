import 'fake-indexeddb/auto'
import { openCheckpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { onTestFinished } from 'vitest'
import { tripAgent, type TripOptions } from '../../support/scripted-trip.ts'

const never = new Promise<never>(() => {})
export const soon = { timeout: 5_000 }

/** Pages of one site, each with an agent of its own, and what their tools and models have really done. */
export function site() {
  const name = `agents-${Math.random()}`
  const done: string[] = []
  let asked = 0
  async function page(options: TripOptions = {}) {
    const checkpointer = await openCheckpointer({ name, worker: false, onWarning: () => {} })
    onTestFinished(() => checkpointer.close())
    const agent = tripAgent((what) => done.push(what), { isAsked: false, onModel: () => asked++, ...options })
    return { checkpointer, agent, session: new ForkpointSession(checkpointer, 'trip') }
  }
  return { page, done, asked: () => asked }
}

export const hangsAt =
  (at: string): NonNullable<TripOptions['after']> =>
  (tool) =>
    tool === at ? never : undefined

export const typesOf = async (session: ForkpointSession) =>
  (await session.getItems()).map(({ type }) => type ?? 'message')
