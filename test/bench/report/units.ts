import type { Measure } from '../contenders.ts'

const BYTES: readonly Measure[] = ['handed', 'disk', 'memory']

export const isBytes = (measure: Measure): boolean => BYTES.includes(measure)

/** What a figure says, in as many digits as are worth reading. */
export function told(measure: Measure, value: number): string {
  return isBytes(measure) ? weight(value) : ms(value)
}

export const number = (value: number): string => {
  if (value === 0) return '0'
  if (value < 0.095) return value.toFixed(3)
  return value.toFixed(value < 9.95 ? 2 : value < 99.5 ? 1 : 0)
}

export const ratio = (value: number): string => `${number(value)}×`

const ms = (value: number): string => (value < 1000 ? `${number(value)} ms` : `${number(value / 1000)} s`)

export function weight(value: number): string {
  if (value < 1000) return `${Math.round(value)} B`
  if (value < 1e6) return `${number(value / 1e3)} KB`
  return value < 1e9 ? `${number(value / 1e6)} MB` : `${number(value / 1e9)} GB`
}
