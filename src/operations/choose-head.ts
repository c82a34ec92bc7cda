import { CheckpointerError } from '../errors.ts'
import type { ChooseHeadRequest, StoredInfo } from './host.ts'
import { infoOf } from './rows/checkpoint-row.ts'
import { threadPut, headsOf } from './rows/thread-row.ts'
import { attemptsOn, LOST_RACE, tryCommit, untilCommitted } from './store/commit.ts'
import { findCheckpoint } from './store/find.ts'
import type { Store } from './store/store.ts'
import { checkThread, describe, needThread } from './store/threads.ts'

/** From here on saves go on from this one; the others are branches like any. */
export async function chooseHead(store: Store, request: ChooseHeadRequest): Promise<StoredInfo> {
  const { thread, namespace, to } = request
  const place = { thread, namespace }
  const chosen = await store.inTurn(place, () =>
    untilCommitted(attemptsOn(store, place), async () => {
      const row = await needThread(store, place)
      const { partition, facts } = row
      const { head: before, tips = [], run: _run, ...rest } = facts
      const tip = headsOf(facts).find(({ seq, id }) => to === seq || to === id)
      const head = tip && (await findCheckpoint(store, row, { seq: tip.seq }))?.facts
      if (!tip || !head) throw noHead(request)
      if (head.id === before?.id && tips.length === 0) return infoOf(head)
      const now = { ...rest, head, tips: [], ...(tip.run ? { run: tip.run } : {}) }
      const version = await tryCommit(store, partition, {
        checks: [checkThread(row)],
        puts: [threadPut(partition, now)],
      })
      if (version === LOST_RACE) return LOST_RACE
      store.threads.set(place, { partition, version, facts: now })
      return infoOf(head)
    }),
  )
  store.publish({ type: 'saved', ...place, seq: chosen.seq, id: chosen.id })
  return chosen
}

const noHead = ({ thread, namespace, to }: ChooseHeadRequest): CheckpointerError =>
  new CheckpointerError(
    'NOT_FOUND',
    `${JSON.stringify(to)} is none of the heads of thread ${describe({ thread, namespace })}: heads() lists them.`,
    { thread, namespace },
  )
