import type { AgentInputItem } from '@openai/agents-core'
import { openCheckpointer, type Storage } from '../../src/index.ts'
import { ForkpointSession } from '../../src/integrations/openai-agents.ts'
import { tripAgent } from '../support/scripted-trip.ts'
import { DEATHS, lives } from './support/lives.ts'
import { forgetfulStorage } from './support/forgetful-storage.ts'
import { mortalStorage, type Death, type MortalStorage } from './support/mortal-storage.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { withoutLocks } from './support/without-locks.ts'

const OPTIONS = { name: 'session', onWarning: () => {} }

/** What was really done, by all pages. */
interface World {
  readonly done: string[]
  asked: number
}

/** A run of the OpenAI Agents SDK is killed at each operation of its storage, twice, and taken up by another page. */
export default {
  promise:
    'a run of an agent that is killed anywhere ends in its session with each item once, and books once at most',
  rounds: { short: 8, long: 2_000 },
  on: ['node'],
  run: (context) => withoutLocks(() => killEverywhere(context)),
} satisfies Proof

async function killEverywhere({ rounds, random, say }: ProofContext): Promise<Figures> {
  const whole = mortalStorage(forgetfulStorage().storage)
  await live(whole, { done: [], asked: 0 }, true)
  const operations = whole.count()
  const sums = { kills: 0, 'second kills': 0, 'not known': 0, 'searched again': 0, 'asked again': 0 }
  for (const death of DEATHS) {
    for (let at = 1; at <= operations; at += Math.max(1, operations / rounds)) {
      const first = { ...death, at: Math.round(at) }
      const second = { ...death, at: Math.ceil(random() * operations * 2) }
      const world: World = { done: [], asked: 0 }
      const isStreamed = random() < 0.5
      const { end, deaths } = await lives({ first, second, share: random() }, (page) =>
        live(page, world, isStreamed),
      )
      judge(end, world, [first, second])
      sums.kills += deaths
      if (deaths > 1) sums['second kills']++
      if (toldOf(end).includes(NOT_KNOWN)) sums['not known']++
      if (world.done.filter(isSearch).length > 1) sums['searched again']++
      if (world.asked > 3) sums['asked again']++
    }
    say(`${JSON.stringify(death)}: ${JSON.stringify(sums)}`)
  }
  return { operations, ...sums }
}

/** One page: it goes on with the run that was cut off, or begins it. */
async function live(
  process: MortalStorage,
  world: World,
  isStreamed: boolean,
): Promise<readonly AgentInputItem[]> {
  await letGo(process.storage)
  const checkpointer = await openCheckpointer({ ...OPTIONS, storage: process.storage })
  const dies = async (): Promise<void> => {
    if (process.isDead() && process.death?.leaves === 'hanging') await process.buried
  }
  const agent = tripAgent((what) => world.done.push(what), {
    isAsked: false,
    before: dies,
    onModel: () => void world.asked++,
  })
  const session = new ForkpointSession(checkpointer, 'trip')
  const options = { repeatable: ['search'], ...(isStreamed ? { onEvent: () => {} } : {}) }
  const wasCutOff = (await session.resume(agent, { ...options, retry: true })) !== undefined
  // A run that had ended when its page was killed is over.
  if (!wasCutOff && (await session.getItems()).length === 0)
    await session.run(agent, 'Fly me to Lisbon', options)
  const items = await session.getItems()
  await checkpointer.close()
  return items
}

/** Who is dead and was not buried yet may still hold its lease: these pages are all in one process. */
async function letGo(storage: Storage): Promise<void> {
  const checkpointer = await openCheckpointer({ ...OPTIONS, storage })
  const lease = await checkpointer.thread('trip', { namespace: 'run' }).lease({ steal: true })
  await lease.release()
  await checkpointer.close()
}

const isSearch = (what: string): boolean => what.startsWith('search')

const NOT_KNOWN = 'It is not known'
const RESULT = 'function_call_result'
const WHOLE = ['message', 'function_call', RESULT, 'function_call', RESULT, 'message'].join()

const toldOf = (items: readonly AgentInputItem[]): string => JSON.stringify(items)

function judge(items: readonly AgentInputItem[], { done }: World, deaths: readonly Death[]): void {
  const types = items.map(({ type }) => type).join()
  const about = { deaths, done, types }
  const booked = done.filter((what) => !isSearch(what)).length
  if (booked > 1) throw broken('it was booked twice', about)
  if (types !== WHOLE) throw broken('the session does not hold each item once', about)
  if (booked !== 1 && !toldOf(items).includes(NOT_KNOWN))
    throw broken('it says that it was booked, and it was not', about)
}
