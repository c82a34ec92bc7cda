import { assign, createActor, fromPromise, setup } from 'xstate'
import { pay } from './pay.ts' // yours: ({ input, key }) => a promise

/** What a page does when it is loaded, and loaded again. */
export async function page() {
  const machine = setup({
    types: { context: {} as { items: string[] }, events: {} as { type: 'pay' | 'bread' } },
    actors: {
      pay: fromPromise<string, string[]>(async ({ input, signal }) =>
        pay({ input, signal, key: 'none', attempt: 1 }),
      ),
    },
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
  const actor = createActor(machine)
  return actor.start()
}
