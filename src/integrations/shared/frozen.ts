/**
 * Freezes plain data all the way down, and gives it: what is frozen is known again without a look at it, so that saving a
 * long list costs what is new.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  // Bytes cannot be.
  if (ArrayBuffer.isView(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}
