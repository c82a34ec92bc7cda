import { expect, it } from 'vitest'
import { empty, freshPages } from '../../support/fresh-pages.ts'
import { seen, type Story } from '../../support/store-stories.ts'

it.each(Object.keys(seen) as Story[])('%s goes on though its page goes in the middle', async (story) => {
  const name = `store-${Math.random()}`
  const { load: inPage } = freshPages(new URL('../../support/store-page.ts', import.meta.url))
  for (const [page, sees] of seen[story].entries()) expect(await inPage({ name, story, page })).toEqual(sees)
  await empty(name)
})
