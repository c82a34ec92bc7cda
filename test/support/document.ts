import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A file of docs/, and what stands in it. */
export class Document {
  readonly text: string

  constructor(name: string) {
    this.text = readFileSync(join(root, 'docs', name), 'utf8')
  }

  /** The first block of a language. */
  block(language: string): string {
    return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(this.text)?.[1] ?? ''
  }

  /** What the last column of a table says that it was tested on: names and versions. */
  tested(): [name: string, version: string][] {
    return [...this.text.matchAll(/\| (\S+) (\d+\.\S+) +\|$/gm)].map(([, name = '', version = '']) => [
      name,
      version,
    ])
  }
}

/** The versions of the engines that the tests install. */
export const engineVersions = (): Record<string, string> =>
  JSON.parse(readFileSync(join(root, 'test/engines/package.json'), 'utf8')).dependencies
