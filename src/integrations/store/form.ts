import type { CheckpointInfo } from '../../checkpoint.ts'

/** What an item is, as its caller gives and takes it. `gone`: it was removed. */
export type Content = { readonly text: string } | { readonly value: unknown } | { readonly gone: true }

/** How a checkpoint of an item says what its state is; in `extra.item`. A state without it is the value itself. */
export interface Marks {
  /** `json`: the text was JSON, and the state is what it says; `text`: it is the text. */
  readonly as?: 'json' | 'text' | 'gone'
  /** Of a record, the names of values that were texts of JSON themselves, as redux-persist writes them. */
  readonly texts?: readonly string[]
  /** For an undo or a redo: the checkpoint whose state it shows again. */
  readonly at?: string
  /** The checkpoint that a redo goes to. */
  readonly redo?: string
}

export interface Stored {
  readonly state: unknown
  readonly marks: Marks
}

export const marksOf = ({ extra }: Pick<CheckpointInfo, 'extra'>): Marks =>
  (extra?.['item'] as Marks | undefined) ?? {}

/** A text of JSON is kept as what it says, so that of a text that has changed a little only that is written. */
export function storedContent(content: Content): Stored {
  if ('gone' in content) return { state: null, marks: { as: 'gone' } }
  if ('value' in content) return { state: content.value, marks: {} }
  const parsed = parsedText(content.text)
  if (!parsed) return { state: content.text, marks: { as: 'text' } }
  const { value } = parsed
  if (Array.isArray(value)) return { state: value, marks: { as: 'json' } }
  const inner = Object.entries(value).map(([name, each]) => ({ name, each, parsed: parsedText(each) }))
  const texts = inner.flatMap(({ name, parsed }) => (parsed ? name : []))
  if (texts.length === 0) return { state: value, marks: { as: 'json' } }
  const state = Object.fromEntries(
    inner.map(({ name, each, parsed }) => [name, parsed ? parsed.value : each]),
  )
  return { state, marks: { as: 'json', texts } }
}

export function contentOf({ state, marks: { as, texts } }: Stored): Content {
  if (as === 'gone') return { gone: true }
  if (as === 'text') return { text: String(state) }
  if (as !== 'json') return { value: state }
  if (!texts) return { text: JSON.stringify(state) }
  const isText = new Set(texts)
  const entries = Object.entries(state as object).map(([name, value]) => [
    name,
    isText.has(name) ? JSON.stringify(value) : (value as unknown),
  ])
  return { text: JSON.stringify(Object.fromEntries(entries)) }
}

/** What a text of JSON says, if the very same text can be made of it again. */
function parsedText(text: unknown): { readonly value: object } | undefined {
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return undefined
  try {
    const value: object = JSON.parse(text)
    return JSON.stringify(value) === text ? { value } : undefined
  } catch {
    // Not JSON after all: then it is kept as it came.
    return undefined
  }
}
