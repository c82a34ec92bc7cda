import { h } from '../dom/h.ts'

/**
 * What is not seen, or changes how the text around it is seen: controls, formats (which turn the direction, or hide
 * what they carry) and halves of characters. Joiners are a part of names and of emoji.
 */
const ODD = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
const ODD_IN_LINE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['\n', '↵'],
  ['\t', '⇥'],
])

/** Text of others: as it is, set apart from the text around it, with every character that hides made visible. */
export const shown = (text: string): HTMLElement => h('bdi', {}, ...marked(text, ODD))

/** The same in one line, cut where it is longer than `most`. */
export function line(text: string, most = 200): HTMLElement {
  const isCut = text.length > most
  return h('bdi', {}, ...marked(isCut ? cut(text, most) : text, ODD_IN_LINE), isCut && '…')
}

/** The same where there can be nothing but text. */
export const plain = (text: string, most: number): string => cut(text, most).replace(ODD_IN_LINE, nameOf)

/** The beginning of a text; no character is cut in half. */
export function cut(text: string, length: number): string {
  const isWithin = (text.codePointAt(length - 1) ?? 0) > 0xffff
  return text.slice(0, isWithin ? length - 1 : length)
}

function marked(text: string, odd: RegExp): (Node | string)[] {
  const parts: (Node | string)[] = []
  let from = 0
  for (const { index, 0: character } of text.matchAll(odd)) {
    if (index > from) parts.push(text.slice(from, index))
    parts.push(mark(character))
    from = index + character.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

const mark = (character: string): HTMLElement =>
  h('span', { class: 'odd', title: nameOf(character) }, SIGNS.get(character) ?? nameOf(character))

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
