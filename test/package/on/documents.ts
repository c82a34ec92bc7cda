import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { manifest } from '../../../scripts/doors.ts'
import type { Fixture } from '../support/ground.ts'

/** What the documents that are packed link to is packed too: there is no repository around them. */
export const documents: Fixture = ({ folder }) => {
  const installed = join(folder, 'node_modules', manifest.name)
  const names = globSync(['*.md', 'docs/**/*.md'], { cwd: installed })
  const links = names.flatMap((name) =>
    [...readFileSync(join(installed, name), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(
      ([, to = '']) => ({ name, to }),
    ),
  )
  if (names.length < 20 || links.length < 50)
    throw new Error(`There are ${names.length} documents with ${links.length} links`)
  const dead = links.filter(({ name, to }) => !existsSync(join(installed, dirname(name), to)))
  if (dead.length > 0) throw new Error(dead.map(({ name, to }) => `${name} links to ${to}`).join('\n'))
}
