/** A promise of this package, and a way to break it: `rounds` faults, after each of which the promise must hold. */
export interface Proof {
  /** What is promised, in one line. */
  readonly promise: string
  /** How many faults `npm test` causes, and how many `npm run test:faults`. */
  readonly rounds: { readonly short: number; readonly long: number }
  /** What it can run on; the first is meant when nothing is said. */
  readonly on: readonly Ground[]
  /** Where `npm test` runs it besides, as what it is about differs from store to store; and with how many faults there. */
  readonly shortElsewhere?: { readonly rounds: number; readonly on: readonly Ground[] }
  /** Why it does not run on the other browsers; a proof that needs none says nothing. */
  readonly elsewhere?: Readonly<Partial<Record<Ground, string>>>
  /** What it measures, time or memory, is more beside others: it runs alone. */
  readonly isTimed?: true
  /** It takes little, and comes too late beside those who take much: it runs with others like it. */
  readonly mostlyWaits?: true
  /** Says what is missing on this machine, if it cannot run here. */
  readonly missing?: () => string | undefined
  /** Throws when the promise was broken. The figures are printed. */
  readonly run: (context: ProofContext) => Promise<Figures>
}

/** Chromium has two stores behind IndexedDB: the old one, and by a flag the new one. */
export const BROWSER_GROUNDS = ['chromium', 'chromium-sqlite', 'firefox', 'webkit'] as const
export type Ground = 'node' | (typeof BROWSER_GROUNDS)[number]

export interface ProofContext {
  readonly rounds: number
  readonly ground: Ground
  /** Numbers from 0 to 1, the same for the same seed. */
  readonly random: () => number
  /** A line for whoever watches. */
  readonly say: (line: string) => void
  /** A folder for this run alone, gone when it ends. */
  readonly folder: string
}

export type Figures = Readonly<Record<string, number | string>>

/** Fails a proof with all that is known about it. */
export function broken(what: string, about: unknown): Error {
  return new Error(`${what}: ${JSON.stringify(about)}`)
}

/** Mulberry32: small, quick, and good enough to choose moments with. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
