import { browser } from './browser.ts'

export interface Page {
  readonly title: string
  readonly url: string
  readonly readAt: Date
  /** What is worth a note each. */
  readonly parts: readonly string[]
}

/** Of what a tab shows. Refused by the browser unless the user has pressed the extension's button there. */
export async function readPage(tabId: number): Promise<Page> {
  const [frame] = await browser.scripting.executeScript({ target: { tabId }, func: textOfPage })
  if (!frame?.result) throw new Error('There was nothing to be read in this tab.')
  return { ...frame.result, readAt: new Date() }
}

/** Runs in the page, as it stands: nothing of this file is there. */
function textOfPage(): Omit<Page, 'readAt'> {
  const shortest = 60
  const most = 40
  const texts = Array.from(document.querySelectorAll<HTMLElement>('p, li, blockquote'), ({ innerText }) =>
    innerText.replace(/\s+/g, ' ').trim(),
  )
  const parts = [...new Set(texts)].filter(({ length }) => length >= shortest).slice(0, most)
  const whole = document.body.innerText.replace(/\s+/g, ' ').trim().slice(0, 2_000)
  return {
    title: document.title || location.hostname,
    url: location.href,
    parts: parts.length > 0 ? parts : [whole].filter(Boolean),
  }
}

/** The sentence whose words are met most often on the page. */
export function bestSentence(part: string, all: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of all.flatMap(wordsOf)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weight = (sentence: string): number => {
    const words = wordsOf(sentence)
    return words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.max(8, words.length)
  }
  const sentences = part.match(/[^.!?]+[.!?]*/g)?.map((each) => each.trim()) ?? [part]
  const [best = part] = sentences.toSorted((a, b) => weight(b) - weight(a))
  return best
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{4,}/gu) ?? []
