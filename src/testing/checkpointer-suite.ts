import { describe } from 'vitest'
import { attemptLaws } from './checkpointer/attempts.ts'
import { carryingLaws } from './checkpointer/carrying.ts'
import { cleanRemovalLaws } from './checkpointer/clean-removals.ts'
import { damagedFileLaws } from './checkpointer/damaged-files.ts'
import type { Ground } from './checkpointer/ground.ts'
import { durabilityLaws } from './checkpointer/durability.ts'
import { forkingLaws } from './checkpointer/forking.ts'
import { leaseLaws } from './checkpointer/leases.ts'
import { listingLaws } from './checkpointer/listing.ts'
import { longRemovalLaws } from './checkpointer/long-removals.ts'
import { mendingLaws } from './checkpointer/mending.ts'
import { questionLaws } from './checkpointer/questions.ts'
import { racingLaws } from './checkpointer/racing.ts'
import { removingLaws } from './checkpointer/removing.ts'
import { retainingLaws } from './checkpointer/retaining.ts'
import { runLaws } from './checkpointer/runs.ts'
import { runsSeenLaws } from './checkpointer/runs-seen.ts'
import { savingLaws } from './checkpointer/saving.ts'
import { sharingLaws } from './checkpointer/sharing.ts'
import { stepLaws } from './checkpointer/steps.ts'
import { streamLaws } from './checkpointer/streams.ts'
import { writesLaws } from './checkpointer/writes.ts'

export type { Ground, GroundOptions } from './checkpointer/ground.ts'

/**
 * What every checkpointer keeps, whatever it stores in: each law is a test of its own. `fresh` gives an empty
 * place to open checkpointers on; it is called once a test.
 */
export function checkpointerSuite(name: string, fresh: () => Promise<Ground>): void {
  describe(`${name}: checkpointer`, () => {
    describe('saving and loading', () => savingLaws(fresh))
    describe('history and threads', () => listingLaws(fresh))
    describe('forking', () => forkingLaws(fresh))
    describe('removing', () => removingLaws(fresh))
    describe('long removals', () => longRemovalLaws(fresh))
    describe('removals of a large state', () => cleanRemovalLaws(fresh))
    describe('retention', () => retainingLaws(fresh))
    describe('pending writes', () => writesLaws(fresh))
    describe('durability', () => durabilityLaws(fresh))
    describe('several at once', () => sharingLaws(fresh))
    describe('export and import', () => carryingLaws(fresh))
    describe('files that do harm', () => damagedFileLaws(fresh))
    describe('races', () => racingLaws(fresh))
    describe('damage', () => mendingLaws(fresh))
    describe('leases', () => leaseLaws(fresh))
    describe('runs', () => runLaws(fresh))
    describe('steps of a run', () => stepLaws(fresh))
    describe('attempts at a step of a run', () => attemptLaws(fresh))
    describe('streams of a run', () => streamLaws(fresh))
    describe('questions of a run', () => questionLaws(fresh))
    describe('runs, seen from elsewhere', () => runsSeenLaws(fresh))
  })
}
