import { allOf } from '../../saving/writer.ts'
import type { ChunkLog } from './chunk-log.ts'

/** The logs of all streams that are being read, for those who need what they hold to be stored now. */
export class OpenLogs {
  readonly #logs = new Set<ChunkLog>()

  /** Gives what takes it out again. */
  add(log: ChunkLog): () => void {
    this.#logs.add(log)
    return () => void this.#logs.delete(log)
  }

  /** Resolves when every chunk that was passed on is stored. */
  async flush(): Promise<void> {
    await allOf([...this.#logs].map((log) => log.flush()))
  }

  /** The page may be gone any moment: all of it is on its way when this returns. */
  hurry(): void {
    for (const log of this.#logs) log.hurry()
  }
}
