import { Chat } from '@ai-sdk/react'
import { DirectChatTransport, tool, ToolLoopAgent, type ChatTransport, type UIMessage } from 'ai'
import { z } from 'zod'
import { openCheckpointer, type Storage } from '../../src/index.ts'
import { ForkpointTransport } from '../../src/integrations/ai-sdk.ts'
import { scriptedModel, trip } from '../support/scripted-model.ts'
import { forgetfulStorage } from './support/forgetful-storage.ts'
import { DEATHS, lives } from './support/lives.ts'
import { mortalStorage, type Death, type MortalStorage } from './support/mortal-storage.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { withoutLocks } from './support/without-locks.ts'

const OPTIONS = { name: 'chat', onWarning: () => {} }

/** What was really done, by all pages. */
interface World {
  searched: number
  booked: number
}

/** A chat of the AI SDK is killed at each operation of its storage, twice, and opened again by another page. */
export default {
  promise: 'a chat that is killed anywhere comes to its whole answer, and books once at most',
  rounds: { short: 8, long: 2_000 },
  on: ['node'],
  run: (context) => withoutLocks(() => killEverywhere(context)),
} satisfies Proof

async function killEverywhere({ rounds, random, say }: ProofContext): Promise<Figures> {
  const whole = mortalStorage(forgetfulStorage().storage)
  await live(whole, { searched: 0, booked: 0 })
  const operations = whole.count()
  const sums = { kills: 0, 'second kills': 0, 'not known': 0, 'searched again': 0, 'asked again': 0 }
  for (const death of DEATHS) {
    for (let at = 1; at <= operations; at += Math.max(1, operations / rounds)) {
      const first = { ...death, at: Math.round(at) }
      const second = { ...death, at: Math.ceil(random() * operations * 2) }
      const world: World = { searched: 0, booked: 0 }
      const { end, deaths } = await lives({ first, second, share: random() }, (page) => live(page, world))
      judge(end, world, [first, second])
      sums.kills += deaths
      if (deaths > 1) sums['second kills']++
      if (partsOf(end.stored).includes('tool-book:output-error')) sums['not known']++
      if (world.searched > 1) sums['searched again']++
      sums['asked again'] += end.askedAgain
    }
    say(`${JSON.stringify(death)}: ${JSON.stringify(sums)}`)
  }
  return { operations, ...sums }
}

interface End {
  readonly shown: readonly UIMessage[]
  readonly stored: readonly UIMessage[]
  readonly askedAgain: number
}

/** One page: it goes on with what there is, or asks. */
async function live(process: MortalStorage, world: World): Promise<End> {
  await letGo(process.storage)
  const checkpointer = await openCheckpointer({ ...OPTIONS, storage: process.storage })
  const dies = async (): Promise<void> => {
    if (process.isDead() && process.death?.leaves === 'hanging') await process.buried
  }
  const tools = {
    search: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        await dies()
        world.searched++
        return `TP 1351 to ${city}`
      },
    }),
    book: tool({
      inputSchema: z.object({ flight: z.string() }),
      execute: async ({ flight }) => {
        await dies()
        world.booked++
        return `${flight} is booked`
      },
    }),
  }
  const model = scriptedModel(trip, dies)
  const transport = new ForkpointTransport<UIMessage>({
    checkpointer,
    transport: (journal) =>
      new DirectChatTransport({
        agent: new ToolLoopAgent({ model, tools: journal.tools(tools, { repeatable: ['search'] }) }),
      }) as ChatTransport<UIMessage>,
  })
  const chat = new Chat({ id: 'c', transport, messages: await transport.loadMessages('c') })
  if (chat.messages.length > 0) await chat.resumeStream()
  else await chat.sendMessage({ text: 'Lisbon' })
  let askedAgain = 0
  if (chat.status === 'error' && !process.isDead()) {
    askedAgain++
    await chat.sendMessage()
  }
  if (chat.error) throw chat.error
  const stored = await transport.loadMessages('c')
  await checkpointer.close()
  return { shown: chat.messages, stored, askedAgain }
}

/** Who is dead and was not buried yet may still hold its lease: these pages are all in one process. */
async function letGo(storage: Storage): Promise<void> {
  const checkpointer = await openCheckpointer({ ...OPTIONS, storage })
  const lease = await checkpointer.thread('c').lease({ steal: true })
  await lease.release()
  await checkpointer.close()
}

const ENDS = ['output-available', 'output-error'].map(
  (book) =>
    `text:Lisbon,step-start,text:Let me see.,tool-search:output-available,step-start,tool-book:${book},step-start,text:You fly with TP 1351.`,
)

function judge({ shown, stored }: End, world: World, deaths: readonly Death[]): void {
  const about = { deaths, world, shown: partsOf(shown), stored: partsOf(stored) }
  if (world.booked > 1) throw broken('it was booked twice', about)
  if (!ENDS.includes(partsOf(stored))) throw broken('the answer is not whole', about)
  if (partsOf(shown) !== partsOf(stored)) throw broken('what is shown is not what is stored', about)
  if (partsOf(stored) === ENDS[0] && world.booked !== 1)
    throw broken('it says that it was booked, and it was not', about)
}

const partsOf = (messages: readonly UIMessage[]): string =>
  messages
    .flatMap(({ parts }) => parts)
    .map((part) => {
      if (part.type === 'text') return `text:${part.text}`
      return 'state' in part ? `${part.type}:${part.state}` : part.type
    })
    .join()
