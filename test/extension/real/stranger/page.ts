/** Another extension, which asks the one under test for its store. */
import type { CheckpointerError } from 'forkpoint'
import { connectCheckpointer } from 'forkpoint/extension'

/** What comes of a save, a load and a subscription, by that name. */
async function ask(extensionId: string, name: string): Promise<Record<string, unknown>> {
  const warned: string[] = []
  const onWarning = ({ code }: CheckpointerError): void => void warned.push(code)
  const checkpointer = await connectCheckpointer({ extensionId, name, onWarning })
  const heard: string[] = []
  const leave = checkpointer.subscribe(({ type }) => void heard.push(type))
  const codeOf = (error: unknown): unknown => (error as CheckpointerError).code
  const thread = checkpointer.thread<Map<string, number>>('shared')
  const saved = await thread.save(new Map([['a', 1]])).then(({ node }) => node ?? 'saved', codeOf)
  const loaded = await thread.load().then((found) => found?.state.get('a'), codeOf)
  const elsewhere = await checkpointer
    .thread('secret')
    .load()
    .then(() => 'loaded', codeOf)
  for (let tries = 0; tries < 50 && heard.length + warned.length === 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 20))
  leave()
  await checkpointer.close()
  return { saved, loaded, elsewhere, heard: heard[0], warned: warned[0] }
}

const stranger = { ask }
export type Stranger = typeof stranger
Object.assign(globalThis, { stranger })
