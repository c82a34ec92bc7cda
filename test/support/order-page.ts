/** The page of docs/xstate.md, or the one whose actor is not kept, in which somebody does something. */
import { waitFor } from 'xstate'
import { page } from '../docs/examples/xstate/page.ts'
import { asked } from '../docs/examples/xstate/pay.ts'
import { page as without } from '../docs/examples/xstate/without.ts'

interface About {
  readonly isKept: boolean
  readonly does: readonly ('bread' | 'pay')[]
  /** Where it comes to, by itself. */
  readonly until: 'filling' | 'paying' | 'paid'
}

export async function play({ isKept, does, until }: About): Promise<unknown> {
  const actor = await (isKept ? page : without)()
  const { value: began } = actor.getSnapshot()
  for (const type of does) actor.send({ type })
  const { context } = await waitFor(actor, (snapshot) => snapshot.matches(until), { timeout: 20_000 })
  for (let i = 0; i < 500 && until === 'paying' && asked.length === 0; i++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return { began, items: context.items, asked }
}
