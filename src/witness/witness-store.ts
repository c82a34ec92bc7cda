/** What is remembered of one thread outside of the database. */
export interface Entry {
  /** The id of the database that the thread was saved to. */
  readonly database: string
  /** When the latest of these saves was asked for, in milliseconds since 1970. */
  readonly at: number
  /** The last seq that was acknowledged, by namespace. */
  readonly seqs: readonly (readonly [namespace: string, seq: number])[]
}

export interface Remembered {
  readonly threads: ReadonlyMap<string, Entry>
  /** Databases that were saved to, since when: one that is not there any more is missed, threads or none. */
  readonly made: ReadonlyMap<string, number>
  /** Databases that need not be missed, since when: they were destroyed, or have been told to be lost. */
  readonly gone: ReadonlyMap<string, number>
  /** What the browser has said last of files of this site that it has thrown away. */
  readonly thrownAway?: ThrownAway
  /** Had anything been saved under this name, it would be known here. */
  readonly isSure: boolean
}

/** It concerns all databases of the site, and the browser says it to one. */
export interface ThrownAway {
  readonly at: number
  readonly said: string
}

/**
 * A place beside the database. It may lag behind, and lose everything: then less is noticed. Tabs write into it
 * side by side, each entry whole; that one of two is lost does no harm. Fails in silence: see `harmless`.
 */
export interface WitnessStore {
  read(): Promise<Remembered>
  /** It is known since the first time. Resolves when it is where a kill of the browser does not reach it, if there is such a place. */
  markMade(database: string): Promise<void>
  put(threads: ReadonlyMap<string, Entry>): Promise<void>
  /** Forgets threads, as far as they are still remembered of this database. */
  drop(threads: readonly string[], database: string): Promise<void>
  /** They are not made any more, either. */
  markGone(databases: readonly string[]): Promise<void>
  /** It was not destroyed after all. */
  unmarkGone(database: string): Promise<void>
  /** For the other databases of the site. */
  noteThrownAway(note: ThrownAway): Promise<void>
}

export const NOTHING: Remembered = { threads: new Map(), made: new Map(), gone: new Map(), isSure: false }

const MOST_GONE = 16
const MOST_SAID = 1_000

/** The oldest of these, beyond the bound. */
export const surplusOf = (gone: ReadonlyMap<string, number>): string[] =>
  [...gone]
    .sort(([, a], [, b]) => b - a)
    .slice(MOST_GONE)
    .map(([database]) => database)

/** The entry in a text, if it is one: any script of the origin can write there. */
export function parseEntry(value: unknown): Entry | undefined {
  const { database, at, seqs } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>
  if (typeof database !== 'string' || !isCount(at) || !Array.isArray(seqs)) return undefined
  const pairs = seqs.filter(
    (pair): pair is [string, number] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && isCount(pair[1]) && pair.length === 2,
  )
  return pairs.length === seqs.length ? { database, at, seqs: pairs } : undefined
}

export function parseThrownAway(value: unknown): ThrownAway | undefined {
  const { at, said } = (value ?? {}) as Partial<Record<keyof ThrownAway, unknown>>
  return isCount(at) && typeof said === 'string' ? { at, said: said.slice(0, MOST_SAID) } : undefined
}

/** The one that was said last. */
export const latestOf = (
  a: ThrownAway | undefined,
  b: ThrownAway | undefined,
): Pick<Remembered, 'thrownAway'> => {
  const latest = a && b ? (a.at > b.at ? a : b) : (a ?? b)
  return latest ? { thrownAway: latest } : {}
}

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}

/** Storage that is refused, full or disabled: then nothing is remembered, and nothing else suffers. */
export function harmless<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch {
    return otherwise
  }
}
