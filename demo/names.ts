/** Names for threads that a person can tell apart, and the one in the address bar. */
const words = [
  'anchor',
  'beacon',
  'cutter',
  'drift',
  'ebb',
  'fathom',
  'gull',
  'harbour',
  'keel',
  'lantern',
  'mast',
  'swell',
]

export function newName(): string {
  const [word = 0, rest = 0] = crypto.getRandomValues(new Uint32Array(2))
  return `${words[word % words.length]}-${rest.toString(36).slice(-4).padStart(4, '0')}`
}

export function nameInHash(): string | undefined {
  const text = location.hash.slice(1)
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return text
  }
}

export const hashOf = (thread: string): string => `#${encodeURIComponent(thread)}`
