import { globSync } from 'node:fs'
import { describe } from 'vitest'
import { root, runSnippets } from './support/snippets.ts'

/** The guide to the edge needs workerd: test/package/on/edge.ts runs it. */
const ELSEWHERE = /\/(?:README|edge)\.md$/

const guides = globSync('docs/guides/*.md', { cwd: root }).filter((guide) => !ELSEWHERE.test(guide))

describe.each(guides)('%s', (guide) => runSnippets(guide))
