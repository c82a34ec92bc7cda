import { hashOf } from '../adapter/short-name.ts'

/**
 * What a file is called: no other file system takes it for the same, or for something of its own. Small letters, digits,
 * `-`, `_` and `!` stand for themselves, as does a dot; a capital is `+` and its small letter, all else `%` and two digits.
 */
const encode = (name: string): string =>
  name.replace(/[^a-z0-9_.!-]/g, (char) =>
    /[A-Z]/.test(char) ? `+${char.toLowerCase()}` : `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

const decode = (text: string): string =>
  text.replace(/\+([a-z])|%([0-9a-f]{2})/g, (_, letter?: string, digits?: string) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(digits as string, 16)) : letter.toUpperCase(),
  )

const BEFORE = 'family-'
const AFTER = '.jsonl'
const MOST = 180

/** The log of a partition, without the ending: a name too long for a file is a beginning and a hash. */
export async function logOf(partition: string): Promise<string> {
  const text = encode(partition)
  if (text.length <= MOST) return BEFORE + text
  const hash = await hashOf(partition)
  return `${BEFORE}${text.slice(0, 100)}~${hash}`
}

export const fileOf = (log: string): string => log + AFTER

/** Which log a file in the folder is, if it is one of a partition. */
export const logIn = (file: string): string | undefined =>
  file.startsWith(BEFORE) && file.endsWith(AFTER) ? file.slice(0, -AFTER.length) : undefined

/** The partition whose log this is; undefined where it has a hash, and its first line has the name. */
export const partitionIn = (log: string): string | undefined =>
  log.includes('~') ? undefined : decode(log.slice(BEFORE.length))
