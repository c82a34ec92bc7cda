import { setTimeout as sleep } from 'node:timers/promises'
import { openCheckpointer, type Storage } from '../../src/index.ts'
import { agentEnd, compareEnds, type AgentEnd } from './support/agent-end.ts'
import { runAgent, STEPS } from './support/agent.ts'
import { answering } from './support/answering.ts'
import { Effects, receiptIn } from './support/effects.ts'
import { forgetfulStorage } from './support/forgetful-storage.ts'
import { mortalStorage, type Death, type MortalStorage } from './support/mortal-storage.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'

const OPTIONS = { name: 'killed', onWarning: () => {} }
/** The power's end also takes what nobody waited for to be on the disk. */
const DEATHS = [
  { when: 'before', leaves: 'hanging' },
  { when: 'after', leaves: 'hanging' },
  { when: 'before', leaves: 'failing' },
  { when: 'after', leaves: 'failing' },
  { when: 'before', leaves: 'hanging', isOfPower: true },
  { when: 'after', leaves: 'hanging', isOfPower: true },
] as const
/** Milliseconds in which a run comes to its end, many times over. */
const PATIENCE = 20_000
/** More than the run has; so all of them. */
const ALL_POINTS = 2_000

/** A model agent is killed at each operation of its storage, and resumed. A round is a point of the run. */
export default {
  promise:
    'an agent that is killed anywhere comes to the same end, and does nothing outside twice in silence',
  rounds: { short: 12, long: ALL_POINTS },
  on: ['node'],
  run: (context) => withoutLocks(() => killEverywhere(context)),
} satisfies Proof

async function killEverywhere({ rounds, random, say }: ProofContext): Promise<Figures> {
  const whole = await unkilled()
  const { operations } = whole
  const sums = { kills: 0, 'second kills': 0, decided: 0, again: 0, late: 0 }
  for (const death of DEATHS) {
    for (let at = 1; at <= operations; at += Math.max(1, operations / rounds)) {
      const first = { ...death, at: Math.round(at) }
      const second = { ...death, at: Math.ceil(random() * operations * 2) }
      const about = JSON.stringify([first, second])
      const { effects, end, deaths } = await killed(first, second, random())
      compareEnds(about, { end, effects, whole: whole.end })
      sums.kills += deaths
      if (deaths > 1) sums['second kills']++
      sums.decided += effects.decided
      sums.again += effects.again
      sums.late += effects.late.length
    }
    say(`${JSON.stringify(death)}: ${JSON.stringify(sums)}`)
  }
  return { steps: STEPS, operations, commits: whole.commits, 'effects a run': whole.effects, ...sums }
}

/** Who is dead holds none; these lives are all in one process. */
async function withoutLocks<T>(work: () => Promise<T>): Promise<T> {
  const { locks } = navigator
  const set = (value: LockManager | undefined): void =>
    void Object.defineProperty(navigator, 'locks', { value, configurable: true })
  set(undefined)
  try {
    return await work()
  } finally {
    set(locks)
  }
}

interface Whole {
  readonly end: AgentEnd
  readonly operations: number
  readonly commits: number
  readonly effects: number
}

async function unkilled(): Promise<Whole> {
  const disk = forgetfulStorage()
  const effects = new Effects()
  const process = mortalStorage(disk.storage)
  await live(process, effects)
  const end = await look(disk.storage)
  compareEnds('unkilled', { end, effects, whole: end })
  return { end, operations: process.count(), commits: disk.commits(), effects: effects.done.length }
}

/** One process after the other, until one comes to the end. */
async function killed(
  first: Death & { readonly isOfPower?: boolean },
  second: Death,
  share: number,
): Promise<{ effects: Effects; end: AgentEnd; deaths: number }> {
  const disk = forgetfulStorage()
  const effects = new Effects()
  const dead: MortalStorage[] = []
  let { storage } = disk
  for (const death of [first, second, undefined]) {
    const process = mortalStorage(storage, death)
    const living = live(process, effects)
    const ended = living.then(
      () => true,
      (error: unknown) => {
        if (process.isDead()) return false
        throw broken('a run that nobody killed was rejected', { first, second, error: String(error) })
      },
    )
    const died = process.died.then(() => sleep(1)).then(() => false)
    const late = new AbortController()
    const stuck = sleep(PATIENCE, undefined, late).then(() => {
      throw broken('a run came to no end', { first, second, process: dead.length })
    })
    const isOver = await Promise.race([ended, died, stuck]).finally(() => late.abort())
    if (isOver) break
    // Nothing of it is let go before the next ones are through: the dead do nothing.
    dead.push(process)
    if (first.isOfPower && dead.length === 1) storage = await disk.cut(share)
  }
  for (const process of dead) process.bury()
  return { effects, end: await look(storage), deaths: dead.length }
}

/** One process: it runs the agent, and has somebody who answers. */
async function live(process: MortalStorage, effects: Effects): Promise<void> {
  const checkpointer = await openCheckpointer({ ...OPTIONS, storage: process.storage })
  const stop = answering(checkpointer, async (step) => effects.decide(step))
  try {
    await runAgent(checkpointer, {
      steal: true,
      world: {
        async effect(what, { key, attempt, token }, told) {
          // Who is dead does nothing outside either.
          if (process.isDead() && process.death?.leaves === 'hanging') await process.buried
          const reply = effects.do({ what, key, attempt, token, ...(told === undefined ? {} : { told }) })
          await Promise.resolve()
          return receiptIn(reply)
        },
        decide: async (step) => effects.decide(step),
      },
    })
  } finally {
    stop()
    await checkpointer.close()
  }
}

async function look(storage: Storage): Promise<AgentEnd> {
  const checkpointer = await openCheckpointer({ ...OPTIONS, storage })
  try {
    return await agentEnd(checkpointer)
  } finally {
    await checkpointer.close()
  }
}
