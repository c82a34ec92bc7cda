import { describe, it } from 'vitest'
import { findBrowser } from '../../scripts/browsers.ts'
import type { Ground } from './support/proof.ts'
import { lineOf, proofs, runProof } from './support/run.ts'

/** The short form of every proof, on the first ground it names. The long ones are `npm run test:faults`. */
const SEED = 20_261
const browserOf = (ground: Ground): 'chromium' | 'firefox' | undefined => {
  if (ground === 'node') return undefined
  return ground === 'firefox' ? 'firefox' : 'chromium'
}

for (const [name, proof] of await proofs()) {
  const ground = proof.on[0]
  if (!ground) continue
  const browser = browserOf(ground)
  const isWanted = process.env['FORKPOINT_BROWSERS'] !== 'none' || browser === undefined
  const missing =
    proof.missing?.() ?? (isWanted && (!browser || findBrowser(browser)) ? undefined : `no ${browser} here`)
  describe(name, () => {
    it.skipIf(missing !== undefined)(
      missing === undefined ? proof.promise : `${proof.promise} (skipped: ${missing})`,
      { timeout: 120_000 },
      async ({ annotate }) => {
        const options = { ground, rounds: proof.rounds.short, seed: SEED, say: () => {} }
        await annotate(lineOf(await runProof(proof, options)))
      },
    )
  })
}
