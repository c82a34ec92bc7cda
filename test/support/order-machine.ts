/** An order, as a machine: it is filled, paid by something that takes its time, and sent. */
import type { Thread } from 'forkpoint'
import { fromStep, type StepWork } from 'forkpoint/xstate'
import { assign, fromPromise, sendTo, setup } from 'xstate'

interface Context {
  readonly items: readonly string[]
  readonly receipt: string
}
type Event = { type: 'add'; item: string } | { type: 'pay' } | { type: 'tick' } | { type: 'again' }
export type Pay = StepWork<string, readonly string[]>

/** Counts by itself: an actor within the actor. */
const counting = setup({
  types: { context: {} as { n: number }, events: {} as { type: 'tick' } },
}).createMachine({
  context: { n: 0 },
  on: { tick: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
})

export function orderMachine(pay: Pay, places?: (namespace: string) => Thread) {
  return setup({
    types: { context: {} as Context, events: {} as Event, output: {} as string },
    actors: {
      counting,
      pay: places
        ? fromStep(places, pay)
        : fromPromise<string, readonly string[]>(async ({ input, signal }) =>
            pay({ input, signal, key: '', attempt: 1 }),
          ),
    },
  }).createMachine({
    id: 'order',
    context: { items: [], receipt: '' },
    initial: 'filling',
    invoke: { src: 'counting', id: 'counting' },
    on: { tick: { actions: sendTo('counting', { type: 'tick' }) } },
    output: ({ context }) => context.receipt,
    states: {
      filling: {
        on: {
          add: {
            actions: assign({ items: ({ context, event }) => [...context.items, event.item] }),
          },
          pay: 'paying',
        },
      },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }) => context.items,
          onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output }) },
          onError: 'filling',
        },
      },
      paid: { on: { again: 'filling', pay: 'sent' } },
      sent: { type: 'final' },
    },
  })
}
