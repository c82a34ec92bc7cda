import { openCheckpointer, type Storage } from '../../src/index.ts'
import { agentEnd, compareEnds, type AgentEnd } from './support/agent-end.ts'
import { runAgent, STEPS } from './support/agent.ts'
import { answering } from './support/answering.ts'
import { Effects, receiptIn } from './support/effects.ts'
import { forgetfulStorage } from './support/forgetful-storage.ts'
import { DEATHS, lives } from './support/lives.ts'
import { mortalStorage, type MortalStorage } from './support/mortal-storage.ts'
import type { Figures, Proof, ProofContext } from './support/proof.ts'
import { withoutLocks } from './support/without-locks.ts'

const OPTIONS = { name: 'killed', onWarning: () => {} }
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
      const effects = new Effects()
      const fate = { first, second, share: random() }
      const { deaths, storage } = await lives(fate, (process) => live(process, effects))
      const end = await look(storage)
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
