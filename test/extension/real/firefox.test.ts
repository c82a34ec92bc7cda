import { expect, it } from 'vitest'
import { findBrowser, wantedBrowsers } from '../../../scripts/browsers.ts'
import proof from '../../faults/extension-killed.ts'
import { lineOf, runProof } from '../../faults/support/run.ts'

const isWanted = wantedBrowsers().includes('firefox')
const isHere = isWanted && findBrowser('firefox') !== undefined
const missing = isHere ? '' : ` (skipped: firefox is ${isWanted ? 'not here' : 'not asked for'})`

it.skipIf(missing !== '')(
  `Firefox puts the background of an extension to rest, and its agent goes on${missing}`,
  { timeout: 120_000 },
  async ({ annotate }) => {
    const figures = await runProof(proof, { ground: 'firefox', rounds: 2, seed: 7, say: () => {} })
    expect(figures).toMatchObject({ effects: 30, 'of those twice': 0 })
    await annotate(lineOf(figures))
  },
)
