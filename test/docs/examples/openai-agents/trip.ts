import { tripAgent } from '../../../support/scripted-trip.ts'

/** What the tools have really done. */
export const done: string[] = []
/** The tool that does not end, as if it took its time. */
export const hanging = { at: '' }
/** How often the model was asked. */
export const asked = { times: 0 }

export const agent = tripAgent((what) => done.push(what), {
  isAsked: false,
  after: (tool) => (tool === hanging.at ? new Promise<void>(() => {}) : undefined),
  onModel: () => asked.times++,
})
