/** The model agent in a browser, whose world is the site. */
import { openCheckpointer, type UnknownDecision, type UnknownStep } from 'forkpoint'
import { agentEnd, type AgentEnd } from '../support/agent-end.ts'
import { runAgent, type World } from '../support/agent.ts'
import { answering } from '../support/answering.ts'
import { receiptIn, type Reply } from '../support/effects.ts'

const ask = async (body: object): Promise<unknown> =>
  (await fetch('/world', { method: 'POST', body: JSON.stringify(body) })).json()

const decide = async (step: UnknownStep): Promise<UnknownDecision<string>> =>
  (await ask({ step })) as UnknownDecision<string>

const world: World = {
  async effect(what, { key, attempt, token }, told) {
    return receiptIn((await ask({ call: { what, key, attempt, token, told } })) as Reply)
  },
  decide,
}

let worker: Worker | undefined

/** Killed under the page, as the browser does it for want of memory. */
export const killWorker = (): void => worker?.terminate()

const startWorker = (): Worker =>
  (worker = new Worker(new URL('./noticing-worker.ts', import.meta.url), { type: 'module' }))

/** Runs it, with somebody beside it who answers. `hasWorker`: the store's side is in one. */
export async function runAgentIn(name: string, hasWorker = true): Promise<string> {
  const checkpointer = await openCheckpointer({ name, worker: hasWorker && startWorker })
  const stop = answering(checkpointer, decide)
  try {
    const { began, result } = await runAgent(checkpointer, { world })
    return `${began}, ${result}`
  } finally {
    stop()
    await checkpointer.close()
  }
}

export async function endOfAgent(name: string): Promise<AgentEnd> {
  const checkpointer = await openCheckpointer({ name })
  const end = await agentEnd(checkpointer)
  await checkpointer.close()
  return end
}
