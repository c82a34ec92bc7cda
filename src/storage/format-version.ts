/** The formats that were ever written. A change that older code would misread gets a new number. */
const FORMAT = {
  /** The first one: lanes, frames, boxes, parts, rows checked by murmur3. */
  first: 1,
} as const

/** What this code writes, and the newest that it reads. */
export const CURRENT_FORMAT: number = FORMAT.first
