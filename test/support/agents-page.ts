/** The page of docs/openai-agents.md, or the one without a session that is kept. */
import { done } from '../docs/examples/openai-agents/agent.ts'
import { page } from '../docs/examples/openai-agents/page.ts'
import { page as without } from '../docs/examples/openai-agents/without.ts'

export async function play({ isKept }: { isKept: boolean }): Promise<unknown> {
  const said = await (isKept ? page : without)('Fly me to Lisbon', true)
  return { said, done }
}
