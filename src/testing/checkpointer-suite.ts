import { describe } from 'vitest'
import { attemptLaws } from './checkpointer/runs/attempts.ts'
import { besideLaws } from './checkpointer/runs/beside.ts'
import { carryingLaws } from './checkpointer/carrying.ts'
import { cleanRemovalLaws } from './checkpointer/removals/clean-removals.ts'
import { cutStreamLaws } from './checkpointer/runs/cut-streams.ts'
import { damagedWriteLaws } from './checkpointer/damage/damaged-writes.ts'
import { damagedFileLaws } from './checkpointer/damage/damaged-files.ts'
import type { Ground } from './checkpointer/ground.ts'
import { durabilityLaws } from './checkpointer/durability.ts'
import { forkingLaws } from './checkpointer/forking.ts'
import { laterLaws } from './checkpointer/later.ts'
import { leaseLaws } from './checkpointer/leases/leases.ts'
import { listingLaws } from './checkpointer/listing.ts'
import { longRemovalLaws } from './checkpointer/removals/long-removals.ts'
import { manyNamespacesLaws } from './checkpointer/removals/many-namespaces.ts'
import { lostLeaseLaws } from './checkpointer/leases/lost.ts'
import { mendingLaws } from './checkpointer/damage/mending.ts'
import { misshapenLaws } from './checkpointer/damage/misshapen.ts'
import { partLaws } from './checkpointer/runs/parts.ts'
import { notInStateLaws } from './checkpointer/runs/not-in-state.ts'
import { questionLaws } from './checkpointer/runs/questions.ts'
import { racingLaws } from './checkpointer/racing.ts'
import { removingLaws } from './checkpointer/removals/removing.ts'
import { retainingLaws } from './checkpointer/removals/retaining.ts'
import { divergedRunLaws } from './checkpointer/runs/diverged.ts'
import { runLaws } from './checkpointer/runs/runs.ts'
import { runsSeenLaws } from './checkpointer/runs/seen.ts'
import { savingLaws } from './checkpointer/saving.ts'
import { sharingLaws } from './checkpointer/sharing.ts'
import { sideBySideLaws } from './checkpointer/runs/side-by-side.ts'
import { stepLaws } from './checkpointer/runs/steps.ts'
import { stoppedMendingLaws } from './checkpointer/damage/stopped-mending.ts'
import { streamLaws } from './checkpointer/runs/streams.ts'
import { bringingLaws } from './checkpointer/sync/bringing.ts'
import { headsOfBothLaws } from './checkpointer/sync/heads.ts'
import { removalsOfBothLaws } from './checkpointer/sync/removals.ts'
import { versionLaws } from './checkpointer/versions.ts'
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
    describe('many namespaces', () => manyNamespacesLaws(fresh))
    describe('removals of a large state', () => cleanRemovalLaws(fresh))
    describe('retention', () => retainingLaws(fresh))
    describe('pending writes', () => writesLaws(fresh))
    describe('durability', () => durabilityLaws(fresh))
    describe('several at once', () => sharingLaws(fresh))
    describe('export and import', () => carryingLaws(fresh))
    describe('sync', () => {
      bringingLaws(fresh)
      headsOfBothLaws(fresh)
      removalsOfBothLaws(fresh)
    })
    describe('files that do harm', () => damagedFileLaws(fresh))
    describe('races', () => racingLaws(fresh))
    describe('damage', () => mendingLaws(fresh))
    describe('damaged pending writes', () => damagedWriteLaws(fresh))
    describe('a repair that is stopped', () => stoppedMendingLaws(fresh))
    describe('rows that hold something else', () => misshapenLaws(fresh))
    describe('versions', () => versionLaws(fresh))
    describe('what a later version has written', () => laterLaws(fresh))
    describe('leases', () => {
      leaseLaws(fresh)
      lostLeaseLaws(fresh)
    })
    describe('runs', () => {
      runLaws(fresh)
      besideLaws(fresh)
    })
    describe('runs on branches', () => divergedRunLaws(fresh))
    describe('steps of a run', () => stepLaws(fresh))
    describe('steps of a run, side by side', () => sideBySideLaws(fresh))
    describe('attempts at a step of a run', () => attemptLaws(fresh))
    describe('parts of a step of a run', () => partLaws(fresh))
    describe('streams of a run', () => {
      streamLaws(fresh)
      cutStreamLaws(fresh)
    })
    describe('questions of a run', () => questionLaws(fresh))
    describe('steps that the state does not tell of', () => notInStateLaws(fresh))
    describe('runs, seen from elsewhere', () => runsSeenLaws(fresh))
  })
}
