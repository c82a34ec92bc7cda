import type {
  Checkpointer,
  Loop,
  RunEnd,
  RunOptions,
  StepContext,
  UnknownDecision,
  UnknownStep,
} from '../../../src/index.ts'

/** What is outside: what is done there cannot be taken back. */
export interface World {
  /** Does it, and gives its receipt; refuses a runner that was replaced. `told` is written on what is done. */
  effect(what: string, step: Pick<StepContext, 'key' | 'attempt' | 'token'>, told?: string): Promise<string>
  /** What is to become of a step of which nobody knows whether it was done: written down there before it is given. */
  decide(step: UnknownStep): Promise<UnknownDecision<string>>
}

export interface AgentState {
  stage: number
  notes: string[]
}

export const THREAD = 'agent'
const newAgentState = (): AgentState => ({ stage: 0, notes: [] })

const QUESTION = 'which colour?'
export const ANSWER = 'green'
/** What comes of chance stands behind this in a note, and is not the same in every run. */
export const DRAWN = 'drawn '

type AgentLoop = Loop<AgentState>
type Stage = (does: Deeds) => Promise<readonly string[]>

interface ActOptions {
  /** Is written on what is done. */
  readonly told?: string
  /** The step that it is a part of. */
  readonly within?: Pick<StepContext, 'step'>
}

/** What the stages are made of. */
class Deeds {
  readonly #loop: AgentLoop
  readonly #world: World

  constructor(loop: AgentLoop, world: World) {
    this.#loop = loop
    this.#world = world
  }

  think(name: string, thought = name): Promise<string> {
    return this.#loop.step(name, async () => {
      await Promise.resolve()
      return thought
    })
  }

  /** Outside; when nobody knows whether it was done, the world is asked. */
  act(name: string, what = name, { told, within = this.#loop }: ActOptions = {}): Promise<string> {
    return within.step(name, (step) => this.#world.effect(what, step, told), {
      effect: 'external',
      whenUnknown: (step) => this.#world.decide(step),
    })
  }

  /** Outside; when nobody knows whether it was done, a person is asked. */
  actOrAsk(name: string, within: (step: StepContext) => Promise<unknown> = async () => {}): Promise<string> {
    return this.#loop.step(
      name,
      async (step) => {
        await within(step)
        return this.#world.effect(name, step)
      },
      { effect: 'external' },
    )
  }

  /** Outside; the world is busy the first time. */
  insist(name: string): Promise<string> {
    return this.#loop.step(name, (step) => this.#world.effect(name, step), {
      effect: 'external',
      whenUnknown: (step) => this.#world.decide(step),
      retries: { times: 2, delay: 1 },
    })
  }

  around(name: string, work: () => Promise<string>): Promise<string> {
    return this.#loop.step(name, work)
  }

  fail(name: string): Promise<string> {
    return this.#loop
      .step(name, (): string => {
        throw new RangeError(`${name} cannot be`)
      })
      .catch((error: unknown) => `${name}: ${String(error)}`)
  }

  draw(name: string): Promise<string> {
    return this.#loop.step(name, () => crypto.randomUUID())
  }

  async read(name: string, count: number, whenCut: 'restart' | 'continue'): Promise<string> {
    const words: string[] = []
    async function* from(start: number): AsyncGenerator<string> {
      for (let i = start; i < count; i++) {
        if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 0))
        yield `${name} ${i}`
      }
    }
    const source = this.#loop.stream<string>(name, ({ chunks }) => from(chunks.length), { whenCut })
    for await (const word of source) words.push(word)
    return words.join(', ')
  }

  ask(): Promise<string> {
    return this.#loop.ask<string>(QUESTION)
  }
}

/** After each there is a checkpoint, and the next is begun by what the state says. */
const STAGES: readonly Stage[] = [
  async (does) => [await does.think('think', 'a'), await does.think('think', 'b'), await does.think('plan')],
  async (does) => [await does.act('buy'), await does.think('note it'), await does.actOrAsk('pay')],
  (does) =>
    Promise.all([
      does.act('book', 'book 0'),
      does.think('look'),
      does.act('book', 'book 1'),
      does.think('look'),
      does.act('book', 'book 2'),
    ]),
  (does) =>
    Promise.all([
      does.around('trip', async () => {
        const hotel = await does.act('hotel')
        const sum = await does.think('sum')
        return [hotel, sum, await does.act('taxi')].join(' and ')
      }),
      does.think('weather').then((weather) => does.think('clothes', `for ${weather}`)),
    ]),
  async (does) => {
    const colour = await does.ask()
    return [await does.act('order', `order ${colour}`)]
  },
  (does) => Promise.all([does.read('news', 12, 'restart'), does.actOrAsk('tip')]),
  async (does) => [await does.read('story', 20, 'continue')],
  async (does) => [await does.insist('call'), await does.fail('wonder'), await does.actOrAsk('thank')],
  async (does) => {
    const ticket = await does.draw('draw')
    return [`${DRAWN}${ticket}`, await does.act('send', 'send', { told: ticket })]
  },
  async (does) => [await does.actOrAsk('ship', (within) => does.act('label', 'label', { within }))],
]
/** All of them, those within others and the streams too. */
export const STEPS = 31

/** Begins it, or goes on with it. */
export function runAgent(
  checkpointer: Checkpointer,
  { world, thread = THREAD, ...options }: RunOptions<AgentState> & { world: World; thread?: string },
): Promise<RunEnd<string>> {
  const run = { runId: `run of ${thread}`, initial: newAgentState, ...options }
  return checkpointer.thread<AgentState>(thread).run(run, (loop) => agent(loop, world))
}

/** The model of an agent: some of its steps are done outside, some side by side, some within others, some stream. */
async function agent(loop: AgentLoop, world: World): Promise<string> {
  const does = new Deeds(loop, world)
  for (let stage; (stage = STAGES[loop.state.stage]);) {
    const notes = await stage(does)
    loop.state.notes.push(...notes)
    loop.state.stage++
    await loop.save({ step: loop.state.stage })
  }
  const last = [await does.think('conclude'), await does.act('report'), await does.think('rest')]
  loop.state.notes.push(...last)
  return `${loop.state.notes.length} notes`
}
