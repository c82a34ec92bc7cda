/**
 * `npm run test:faults`: causes real faults, many of each, and shows that nothing is lost in silence.
 *
 *   npm run test:faults                      every proof, on everything it can run on
 *   npm run test:faults -- kill torn-tail    only these
 *     --on chromium-sqlite                   only there
 *     --rounds 500   --seed 7   --short      another number, the same choices again, the short form
 *
 * A proof is a file of this folder that exports a `Proof` (support/proof.ts); `npm test` runs the short forms.
 */
import { parseArgs } from 'node:util'
import { lineOf, proofs, runProof } from './support/run.ts'
import { removeSite } from './support/site.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})

const all = await proofs()
for (const name of positionals) {
  if (!all.has(name)) throw new Error(`there is no proof ${name}; there are ${[...all.keys()].join(', ')}`)
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
let passed = 0
let failed = 0
let skipped = 0

for (const [name, proof] of all) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const rounds = Number(values.rounds ?? proof.rounds[values.short ? 'short' : 'long'])
  for (const [ground, why] of Object.entries(proof.elsewhere ?? {})) {
    if (values.on !== undefined && values.on !== ground) continue
    skipped++
    console.log(`${name} on ${ground}: SKIPPED, ${why}`)
  }
  for (const ground of proof.on) {
    if (values.on !== undefined && values.on !== ground) continue
    const missing = proof.missing?.()
    if (missing !== undefined) {
      skipped++
      console.log(`${name} on ${ground}: SKIPPED, ${missing}`)
      continue
    }
    console.log(`${name} on ${ground}: ${proof.promise} (${rounds} rounds, seed ${seed})`)
    const started = Date.now()
    try {
      const say = (line: string): void => console.log(`  ${line}`)
      const figures = await runProof(proof, { ground, rounds, seed, say })
      console.log(`  holds: ${lineOf(figures)} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
      passed++
    } catch (error) {
      failed++
      console.error(`  BROKEN: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
}
await removeSite()
console.log(`${passed} hold, ${failed} broken${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed > 0 || passed + skipped === 0 ? 1 : 0)
