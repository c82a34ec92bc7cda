import type { Batch, Row } from '../../storage/storage.ts'
import { partsOfWrite } from '../rows/write-row.ts'
import { unlessDamaged } from './unread.ts'

/** The parts of a pending write, as far as its row says: those of one that is damaged are left over, which is no damage. */
export const knownPartsOfWrite = (partition: string, row: Row): NonNullable<Batch['deleteRanges']> =>
  unlessDamaged(() => partsOfWrite(partition, row)) ?? []
