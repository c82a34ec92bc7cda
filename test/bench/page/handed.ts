/** What was handed to IndexedDB in this thread: rows put, their bytes, and transactions that write. */
export interface Handed {
  transactions: number
  rows: number
  bytes: number
}

const handed: Handed = { transactions: 0, rows: 0, bytes: 0 }
let isCounting = true
/** Weighed when it is asked for, which is never while the clock runs. Text and bytes may go on being used. */
const unweighed: unknown[] = []

/** Has every put counted from here on. Bytes are weighed at once, values later. */
export function countHanded(): void {
  const { put, add } = IDBObjectStore.prototype
  const counting = (original: typeof put): typeof put =>
    function (this: IDBObjectStore, value: unknown, ...key: [IDBValidKey?]) {
      if (!isCounting) return original.call(this, value, ...key)
      handed.rows++
      if (ArrayBuffer.isView(value)) handed.bytes += value.byteLength
      else if (isFlat(value)) handed.bytes += bytesOf(value)
      else unweighed.push(value)
      return original.call(this, value, ...key)
    }
  IDBObjectStore.prototype.put = counting(put)
  IDBObjectStore.prototype.add = counting(add)
  const { transaction } = IDBDatabase.prototype
  IDBDatabase.prototype.transaction = function (stores, mode, options) {
    if (mode === 'readwrite' && isCounting) handed.transactions++
    return transaction.call(this, stores, mode, options)
  }
}

/** Does something that nobody is charged with. */
export async function uncounted(work: () => Promise<unknown> | undefined): Promise<void> {
  isCounting = false
  await work()
  isCounting = true
}

/** On which a worker is asked. */
export const HANDED = 'bench-handed'

/** In a worker: counts, and tells the page of it. */
export function tellHanded(): void {
  const channel = new BroadcastChannel(HANDED)
  countHanded()
  channel.onmessage = ({ data }) => {
    if (data === 'ask') channel.postMessage(takeHanded())
  }
}

/** Before the values change: a state is weighed as it was put. */
export function weigh(): void {
  for (const value of unweighed.splice(0)) handed.bytes += bytesOf(value)
}

/** Since the last time. */
export function takeHanded(): Handed {
  weigh()
  const taken = { ...handed }
  handed.transactions = handed.rows = handed.bytes = 0
  return taken
}

/** A row of columns, as stores with few of them have: weighed in no time. */
function isFlat(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((part) => typeof part !== 'object' || ArrayBuffer.isView(part))
  )
}

/** About what a clone of it takes: a byte for a letter (two where there are others than Latin), nine for a number. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return isLatin(value) ? value.length : value.length * 2
  if (typeof value === 'number') return 9
  if (typeof value !== 'object' || value === null) return 1
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + bytesOf(part), 0)
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + bytesOf(part), 0)
}

// oxlint-disable-next-line no-control-regex
const isLatin = (text: string): boolean => /^[\u0000-\u00ff]*$/.test(text)
