import { cut } from '../text/shown.ts'

export interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

const LONGEST_WORD = 40

/** More words than this on a side are not compared one by one. */
const MOST_WORDS = 1_000

/** What became of a text, word by word. */
export function textDiff(before: string, after: string): Piece[] {
  const least = Math.min(before.length, after.length)
  let start = 0
  while (start < least && before[start] === after[start]) start++
  start = cut(before, start).length
  let end = 0
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++
  if (isLowHalf(before.charCodeAt(before.length - end))) end--
  // A word in which something differs is another word; but a text that has grown, has grown by what was added.
  if (before.length > start + end && after.length > start + end) {
    const [first, last] = [Math.max(0, start - LONGEST_WORD), Math.max(0, end - LONGEST_WORD)]
    while (start > first && isWithinWord([before[start - 1], before[start], after[start]])) start--
    while (end > last && isWithinWord([before.at(-end), before.at(-end - 1), after.at(-end - 1)])) end--
  }
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  const pieces: Piece[] = [
    { kind: 'same', text: before.slice(0, start) },
    ...byWords(old, now),
    { kind: 'same', text: before.slice(before.length - end) },
  ]
  return pieces.filter(({ text }) => text !== '')
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** Whether a word goes on from here to where either text differs. */
const isWithinWord = ([here, old, now]: readonly (string | undefined)[]): boolean =>
  isWord(here) && (isWord(old) || isWord(now))

const isLowHalf = (code: number): boolean => code >= 0xdc00 && code < 0xe000

function byWords(before: string, after: string): Piece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  const whole: Piece[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]
  return before === '' || after === '' || !old || !now ? whole : joined(common(old, now))
}

function wordsOf(text: string): string[] | undefined {
  // No word is so long that this cuts short what could be compared.
  if (text.length > MOST_WORDS * LONGEST_WORD) return undefined
  const words = text.match(/\s+|[\p{L}\p{N}_]+|[^]/gu) ?? []
  return words.length > MOST_WORDS ? undefined : words
}

/** The longest list of words that both have in this order, and what lies between. */
function* common(old: readonly string[], now: readonly string[]): Generator<Piece> {
  const width = now.length + 1
  const longest = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      longest[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]]
    if (was !== undefined && was === is) {
      yield { kind: 'same', text: was }
      i++
      j++
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      yield { kind: 'removed', text: was }
      i++
    } else {
      yield { kind: 'added', text: is ?? '' }
      j++
    }
  }
}

function joined(pieces: Iterable<Piece>): Piece[] {
  const all: Piece[] = []
  for (const { kind, text } of pieces) {
    const last = all.at(-1)
    if (last?.kind === kind) all[all.length - 1] = { kind, text: last.text + text }
    else all.push({ kind, text })
  }
  return all
}
