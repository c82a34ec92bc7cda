import { readFileSync } from 'node:fs'
import { here } from './here.ts'

/** The first example of a document in docs/. */
export function exampleOf(document: string): string {
  const text = readFileSync(here(import.meta.url, `../../../docs/${document}`), 'utf8')
  return /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? ''
}
