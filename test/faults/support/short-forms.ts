import { afterAll, it } from 'vitest'
import { findBrowser, wantedBrowsers, type BrowserName } from '../../../scripts/browsers.ts'
import type { Ground, Proof } from './proof.ts'
import { lineOf, proofs, runProof } from './run.ts'
import { removeSite } from './site.ts'

const SEED = 20_261

const browserOf = (ground: Ground): BrowserName | undefined => {
  if (ground === 'node') return undefined
  return ground === 'firefox' || ground === 'webkit' ? ground : 'chromium'
}

const shortForms = ({ on, rounds, shortElsewhere }: Proof): readonly (readonly [Ground, number])[] => [
  ...on.slice(0, 1).map((ground) => [ground, rounds.short] as const),
  ...(shortElsewhere?.on ?? []).map((ground) => [ground, shortElsewhere?.rounds ?? 0] as const),
]

/** Why this short form is not run, if it is not. */
function missingFor(ground: Ground): string | undefined {
  const browser = browserOf(ground)
  if (browser === undefined) return undefined
  const wanted = wantedBrowsers()
  if (!wanted.includes(browser)) return `${browser} is not among FORKPOINT_BROWSERS`
  if (ground === 'chromium-sqlite' && wanted.length === 1) return 'with other browsers, by --all'
  return findBrowser(browser) ? undefined : `no ${browser} here`
}

/** Which of the short forms: those on Node, those of them that need a process of their own, or those in browsers. */
type Which = 'on Node' | 'on Node, alone' | 'in browsers'

const whichOf = (ground: Ground, { isTimed }: Proof): Which => {
  if (ground !== 'node') return 'in browsers'
  return isTimed ? 'on Node, alone' : 'on Node'
}

/**
 * The short form of every proof, on the first ground it names and on some others, of which these are meant: first those that
 * take much, beside each other; then what is timed, alone; last what mostly waits, beside each other again. The long ones are
 * `npm run test:faults`.
 */
export async function shortProofs(which: Which): Promise<void> {
  afterAll(removeSite)
  const [busy, timed, waiting]: [Definition[], Definition[], Definition[]] = [[], [], []]
  for (const [name, proof] of await proofs())
    for (const [ground, rounds] of shortForms(proof)) {
      if (whichOf(ground, proof) !== which) continue
      const title = `${name}: ${proof.promise} (on ${ground})`
      const list = proof.isTimed ? timed : proof.mostlyWaits ? waiting : busy
      list.push(() => shortProof(title, proof, ground, rounds))
    }
  for (const define of [...busy, ...timed, ...waiting]) define()
}

type Definition = () => void

function shortProof(title: string, proof: Proof, ground: Ground, rounds: number): void {
  const missing = proof.missing?.() ?? missingFor(ground)
  it.skipIf(missing !== undefined)(
    missing === undefined ? title : `${title} (skipped: ${missing})`,
    { timeout: 600_000, concurrent: ground !== 'node' && !proof.isTimed },
    async ({ annotate }) => {
      const options = { ground, rounds, seed: SEED, say: () => {} }
      await annotate(lineOf(await runProof(proof, options)))
    },
  )
}
