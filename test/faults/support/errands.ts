import type { UnknownStep } from '../../../src/index.ts'
import type { Effects } from './effects.ts'
import { broken } from './proof.ts'

interface Asked {
  readonly call?: Parameters<Effects['do']>[0]
  readonly step: UnknownStep
  readonly token: number
}

/** What the world says to those who run errands. */
export function answerTo(body: string, effects: Effects): unknown {
  const { call, step, token } = JSON.parse(body) as Asked
  return call ? effects.do(call) : effects.decide(step, token)
}

interface Raced {
  readonly round: number
  readonly ends: readonly { readonly end: string; readonly signal: string }[]
  readonly found: { readonly done: readonly string[]; readonly problems: readonly string[] } | undefined
}

/** Each was done by who had the run then, and what is recorded is what was done. */
export function checkErrands(about: Raced, errands: number, effects: Effects): void {
  const { found } = about
  const all = { ...about, done: effects.done, late: effects.late, wrong: effects.wrong }
  if (effects.wrong.length > 0) throw broken('the world was called as it must not be', all)
  const tabs = new Map<number, string | undefined>()
  for (const { token, told } of [...effects.done, ...effects.late]) {
    if (tabs.has(token) && tabs.get(token) !== told) throw broken('two tabs have the same token', all)
    tabs.set(token, told)
  }
  if (effects.done.some(({ token }, i) => token < (effects.done[i - 1]?.token ?? 0)))
    throw broken('one that was replaced did something', all)
  const wanted = Array.from({ length: errands }, (_, n) => `receipt of errand ${n}`)
  if (JSON.stringify(found?.done) !== JSON.stringify(wanted) || found?.problems.length !== 0)
    throw broken('what is recorded is not what was done', all)
}
