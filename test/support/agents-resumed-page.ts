/** The page of docs/openai-agents.md whose run may be cut off anywhere, or the one whose run is not journaled. */
import { page } from '../docs/examples/openai-agents/resumed.ts'
import { page as without } from '../docs/examples/openai-agents/resumed-without.ts'
import { asked, done, hanging } from '../docs/examples/openai-agents/trip.ts'

interface About {
  readonly isKept: boolean
  /** The tool in which the page goes. */
  readonly leavesAt?: 'search' | 'book'
}

export async function play({ isKept, leavesAt }: About): Promise<unknown> {
  hanging.at = leavesAt ?? ''
  const running = (isKept ? page : without)('Fly me to Lisbon')
  if (!leavesAt) return { said: await running, done, asked: asked.times }
  running.catch(() => {})
  for (let i = 0; i < 500 && !done.at(-1)?.startsWith(leavesAt); i++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return { done, asked: asked.times }
}
