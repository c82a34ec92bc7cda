export const median = (values: readonly number[]): number => percentile(values, 0.5)

export const max = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0)

/** The value that this share of all does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('nothing was measured')
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] as number
}

/** What is told of many times. */
export interface Spread {
  readonly median: number
  readonly p95: number
  readonly times: number
}

export const spread = (values: readonly number[]): Spread => ({
  median: round(median(values)),
  p95: round(percentile(values, 0.95)),
  times: values.length,
})

/** To four digits, which is more than a clock can tell. */
const round = (value: number): number => Number(value.toPrecision(4))
