import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Document } from '../../support/document.ts'
import { here } from './here.ts'

/** Runs the first example of a document, as it stands, where the engines' libraries are. */
export async function runExample(document: string): Promise<Document> {
  const temp = here(import.meta.url, '../temp')
  mkdirSync(temp, { recursive: true })
  const folder = mkdtempSync(join(temp, 'example-'))
  try {
    const written = new Document(document)
    const file = join(folder, 'example.ts')
    writeFileSync(file, written.block('ts'))
    await import(/* @vite-ignore */ file)
    return written
  } finally {
    rmSync(folder, { recursive: true })
  }
}
