/** What the verbs may be asked by which stores are brought together. */
import type {
  ChooseHeadRequest,
  Place,
  SyncAskRequest,
  SyncGiveRequest,
  SyncGoneRequest,
  SyncHaveRequest,
  SyncListRequest,
  SyncNoteRequest,
  SyncRecallRequest,
  SyncWantRequest,
} from '../operations/host.ts'
import { isGiven, isGoneName, isHeard, isSyncForget, isSyncTake } from '../operations/shapes/syncing.ts'
import { isSaveName, isSyncNote } from '../operations/shapes/sync-note.ts'
import { isFlag, isId, isList, isRecord, isSeq, isShort, isTime } from '../operations/shapes/shape.ts'
import { FENCED, isNumber, isPage, isRef, MOST_PAGE, PLACE } from './asked.ts'

export const SYNC_REQUESTS = {
  heads: isRecord<Place>(PLACE),
  chooseHead: isRecord<ChooseHeadRequest>({ ...PLACE, ...FENCED, to: isRef }, ['lease']),
  syncList: isRecord<SyncListRequest>(
    {
      limit: isPage,
      after: isRecord<NonNullable<SyncListRequest['after']>>({ thread: isId, rank: isNumber }, ['rank']),
    },
    ['after'],
  ),
  syncAsk: isRecord<SyncAskRequest>({ thread: isId }),
  syncHave: isRecord<SyncHaveRequest>(
    { ...PLACE, after: isSeq, before: isSeq, limit: isPage, wroteAfter: isTime },
    ['wroteAfter'],
  ),
  syncWant: isRecord<SyncWantRequest>(
    { ...PLACE, names: isList(isSaveName, MOST_PAGE), heard: isHeard, withPlace: isFlag },
    ['heard', 'withPlace'],
  ),
  syncGive: isRecord<SyncGiveRequest>({ ...PLACE, seqs: isList(isSeq, MOST_PAGE), states: isGiven }),
  syncTake: isSyncTake,
  syncGone: isRecord<SyncGoneRequest>({ thread: isId, names: isList(isGoneName, MOST_PAGE) }),
  syncForget: isSyncForget,
  syncRecall: isRecord<SyncRecallRequest>({
    of: isList(isRecord<SyncRecallRequest['of'][number]>({ thread: isId, store: isShort }), MOST_PAGE),
  }),
  syncNote: isRecord<SyncNoteRequest>({ thread: isId, store: isShort, note: isSyncNote }),
}
