/** Enough that no two fall together, and few digits, as each step stores some. */
const DRAWN = 1e9

/**
 * A version of a channel: greater than the last, and unlike any that another branch or tab gives, as what comes after
 * the point is drawn. So values of different branches are never taken for one.
 */
export function nextVersion(current: number | undefined): number {
  const next = Math.floor(current ?? 0) + 1
  return next + Math.floor(Math.random() * DRAWN) / DRAWN
}
