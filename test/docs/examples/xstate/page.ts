import { openCheckpointer } from 'forkpoint'
import { fromStep, keepActor, savedSnapshot } from 'forkpoint/xstate'
import { assign, createActor, setup } from 'xstate'
import { pay } from './pay.ts' // yours: ({ input, key }) => a promise

/** What a page does when it is loaded, and loaded again. */
export async function page() {
  const checkpointer = await openCheckpointer({ name: 'my-orders' })
  const order = (namespace = '') => checkpointer.thread('order-1', { namespace })
  const machine = setup({
    types: { context: {} as { items: string[] }, events: {} as { type: 'pay' | 'bread' } },
    actors: { pay: fromStep(order, pay) }, // what it came to once is not done again
  }).createMachine({
    context: { items: [] },
    initial: 'filling',
    states: {
      filling: {
        on: {
          bread: { actions: assign({ items: ({ context }) => [...context.items, 'bread'] }) },
          pay: 'paying',
        },
      },
      paying: { invoke: { src: 'pay', input: ({ context }) => context.items, onDone: 'paid' } },
      paid: {},
    },
  })
  const actor = createActor(machine, await savedSnapshot(order())) // begins, or goes on where it was
  keepActor(order(), actor) // each transition is a checkpoint
  return actor.start()
}
