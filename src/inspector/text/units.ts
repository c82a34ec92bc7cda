const whole = new Intl.NumberFormat('en')
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

export const count = (number: number): string => whole.format(number)

/** `1 checkpoint`, `2,000 checkpoints`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`

export function bytes(number: number): string {
  let amount = number
  let unit = 0
  while (amount >= 999.5 && unit < UNITS.length - 1) {
    amount /= 1000
    unit++
  }
  const digits = unit > 0 && amount < 9.95 ? 1 : 0
  return `${amount.toFixed(digits)} ${UNITS[unit]}`
}

export function percent(part: number, of: number): string {
  const share = of > 0 ? (100 * part) / of : 0
  if (share > 0 && share < 0.1) return '< 0.1 %'
  return `${share.toFixed(share < 10 ? 1 : 0)} %`
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Short: the time of today, the day of what is older. */
export const moment = (at: Date): string =>
  valid(at, () => (at.toDateString() === new Date().toDateString() ? clock : day).format(at))

export const instant = (at: Date): string => valid(at, () => full.format(at))

const valid = (at: Date, text: () => string): string => (Number.isNaN(at.getTime()) ? 'no time' : text())
