export const newId = (): string => crypto.randomUUID()

const WORDS = [
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

/** For a thread: one that a person can tell from others, in the address and in the inspector. */
export function newName(): string {
  const [word = 0, rest = 0, more = 0] = crypto.getRandomValues(new Uint32Array(3))
  return `${WORDS[word % WORDS.length]}-${rest.toString(36)}${more.toString(36).slice(-2)}`
}

/** The thread in the address bar, if there is one. */
export function idInHash(): string | undefined {
  const text = location.hash.slice(1)
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return text
  }
}

export const hashOf = (id: string): string => `#${encodeURIComponent(id)}`
