/** A page with an actor of XState, which goes on where it was, or from an earlier snapshot. */
import { openCheckpointer } from 'forkpoint'
import { keepActor, savedSnapshot } from 'forkpoint/xstate'
import { assign, createActor, setup } from 'xstate'

interface About {
  readonly name: string
  readonly sends: readonly string[]
  readonly at?: number
}

const machine = setup({
  types: { context: {} as { said: string[] }, events: {} as { type: 'say'; text: string } },
}).createMachine({
  context: { said: [] },
  on: { say: { actions: assign({ said: ({ context, event }) => [...context.said, event.text] }) } },
})

/** Nothing is closed: the page just goes. */
export async function play({ name, sends, at }: About): Promise<unknown> {
  const checkpointer = await openCheckpointer({ name })
  const thread = checkpointer.thread('counter')
  const actor = createActor(machine, await savedSnapshot(thread, at))
  const kept = keepActor(thread, actor)
  actor.start()
  for (const text of sends) actor.send({ type: 'say', text })
  await kept.flush()
  const checkpoints: unknown[] = []
  for await (const { seq, parentId } of thread.history({ order: 'oldest' }))
    checkpoints.push([seq, parentId === undefined ? null : (await thread.load({ id: parentId }))?.seq])
  return { said: actor.getSnapshot().context.said, checkpoints }
}
