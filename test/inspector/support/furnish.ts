/** Runs in the page: threads as an agent leaves them, with branches, forks, a run and what is pending. */
export async function furnish(): Promise<void> {
  const { checkpointer } = window
  interface Message {
    role: string
    text: string
  }
  interface Trip {
    messages: Message[]
    plan: { city: string; nights: number; budget: { eur: number; spent: number } }
    seen?: Set<string>
    at?: Date
  }
  const talk = checkpointer.thread<Trip>('trip to Lisbon')
  const state: Trip = { messages: [], plan: { city: 'Lisbon', nights: 3, budget: { eur: 900, spent: 0 } } }
  const nodes = ['plan', 'search', 'read', 'write']
  for (let step = 0; step < 14; step++) {
    const node = nodes[step % 4] ?? ''
    state.messages.push({
      role: step % 4 === 0 ? 'user' : 'agent',
      text: `Step ${step}: the ${node} of the day`,
    })
    state.plan.budget.spent += 40
    if (step === 9) {
      state.seen = new Set(['Belém', 'Alfama'])
      state.at = new Date(0)
    }
    await talk.save(state, {
      node,
      next: [nodes[(step + 1) % 4] ?? ''],
      step,
      runId: `run-${Math.floor(step / 4)}`,
      ...(step === 0 && { source: 'input' }),
      ...(step === 7 && { label: 'before booking' }),
    })
  }
  state.messages[3] = { role: 'agent', text: 'Step 3: the writing of another day, quite another one' }
  await talk.save(state, { parent: 6, node: 'write', step: 7, source: 'update' })
  state.plan.city = 'Porto'
  await talk.save(state, { node: 'plan', step: 8 })
  const head = await talk.save(state, { parent: 14, node: 'read', step: 15 })
  await talk.putWrites(head.seq, 'task-1', [
    { channel: 'messages', value: { role: 'tool', text: 'TP 1351, 90 €' } },
  ])
  const porto = await talk.fork({
    at: 9,
    as: 'the same in Porto',
    edit: (draft) => void (draft.plan.city = 'Porto'),
  })
  await porto.save({ ...state, messages: state.messages.slice(0, 2) }, { node: 'plan' })
  await talk.fork({ at: 4, as: 'cheaper' })
  const asking = checkpointer.thread<{ turns: number }>('a run that asks')
  void asking
    .run({ initial: { turns: 1 }, runId: 'message-1' }, async (loop) => {
      await loop.step('look up flights', () => ['TP 1351', 'TP 1353'])
      await loop.step('the model', () => 'Shall I book?')
      await loop.ask({ allow: 'book', input: 'TP 1351' })
    })
    .catch(() => undefined)
  for await (const event of asking.watch()) if (event.type === 'run' && event.run.status === 'waiting') break
  for (const name of ['shopping list', 'support case 4711', 'draft of a letter'])
    await checkpointer.thread(name).save({ text: name.repeat(40) }, { node: 'begin' })
}
