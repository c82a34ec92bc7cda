import { holdLock } from '../../platform/locks.ts'
import { randomPause } from '../../platform/random.ts'

/** So often one may be first, one time after the other, before it lets those pass who wait. */
const MOST_WINS = 8
/** So often one may be overtaken before it lines up. */
const MOST_LOSSES = 3
/** Who was, or had to wait, has company, and does not try its luck before it was alone so often. */
const TURNS = 16
/** In milliseconds. A tab may have been frozen in its turn: it is not waited for longer than this. */
const LONGEST_WAIT = 3000
/** In milliseconds. So long nobody is waited for, when somebody was in vain. */
const LONGEST_FREEZE = 30_000
/** The most that is stepped back for. */
const STEP_BACK = 20
/** Partitions of which this is remembered. */
const MOST_REMEMBERED = 256

interface Luck {
  /** One after the other. */
  readonly wins: number
  /** Those that are still to be waited for. */
  readonly turns: number
}

/**
 * Where those who write to one partition, from any tab, wait for their turn. Who was first knows the rows as they are
 * now, and may be first again before the others have read them; so who was overtaken lines up, and so does now and
 * then who never is. What is written is right without this: it only sees to it that everybody gets there.
 */
export class Line {
  readonly #database: () => string | undefined
  readonly #lucks = new Map<string, Luck>()
  #ignoredUntil = 0

  constructor(database: () => string | undefined) {
    this.#database = database
  }

  /** After how many lost races the next writer to the partition is to line up. */
  patience(partition: string): number {
    const { wins, turns } = this.#luckOf(partition)
    return turns > 0 || wins >= MOST_WINS ? 0 : MOST_LOSSES
  }

  /** Resolves when it is one's turn, with what ends it; with nothing where there are no turns, or not now. */
  async turn(partition: string, losses: number): Promise<(() => void) | undefined> {
    const { turns } = this.#luckOf(partition)
    const mine = await this.#take(partition)
    const isAlone = losses === 0 && mine?.waited !== true
    this.#remember(partition, { wins: 0, turns: isAlone ? Math.max(0, turns - 1) : TURNS })
    // Where there is no line, who has company steps back for a moment.
    if (!mine && isAlone && turns > 0) await randomPause(STEP_BACK)
    return mine?.end
  }

  won(partition: string): void {
    const { wins, turns } = this.#luckOf(partition)
    this.#remember(partition, { wins: wins + 1, turns })
  }

  async #take(partition: string): Promise<{ end: () => void; waited: boolean } | undefined> {
    const database = this.#database()
    if (database === undefined || performance.now() < this.#ignoredUntil) return undefined
    const name = JSON.stringify(['forkpoint', 'line', database, partition])
    const free = await holdLock(name, { ifAvailable: true })
    const end = free ?? (await this.#waitFor(name))
    return end && { end, waited: !free }
  }

  async #waitFor(name: string): Promise<(() => void) | undefined> {
    const signal = AbortSignal.timeout(LONGEST_WAIT)
    const end = await holdLock(name, { signal })
    if (!end && signal.aborted) this.#ignoredUntil = performance.now() + LONGEST_FREEZE
    return end
  }

  #luckOf(partition: string): Luck {
    return this.#lucks.get(partition) ?? { wins: 0, turns: 0 }
  }

  #remember(partition: string, luck: Luck): void {
    if (this.#lucks.size >= MOST_REMEMBERED) this.#lucks.clear()
    this.#lucks.set(partition, luck)
  }
}
