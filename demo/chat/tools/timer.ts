import { pause } from './pause.ts'
import { ToolError, type Tool } from './tool.ts'

const MOST_SECONDS = 24 * 60 * 60

/**
 * When it is over is decided once, and stands in the journal: whoever goes on with the run after a reload waits for what
 * is left of it.
 */
export const timer: Tool = {
  name: 'timer',
  description: 'Waits for some seconds. It goes on over reloads of the page.',
  parameters: {
    type: 'object',
    properties: { seconds: { type: 'number' }, about: { type: 'string' } },
    required: ['seconds'],
  },
  async use({ id, input: { seconds, about } }, { loop, halt }) {
    if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MOST_SECONDS))
      throw new ToolError('A timer needs seconds, more than 0 and at most a day.')
    const due = await loop.step(`timer ${id} is set`, () => Date.now() + seconds * 1000)
    const late = await loop.step(`timer ${id}`, async ({ signal }) => {
      await pause(Math.max(0, due - Date.now()), AbortSignal.any([signal, halt]))
      return Date.now() - due
    })
    const what = typeof about === 'string' && about !== '' ? ` (${about})` : ''
    // A second or two is the time that it takes to go on after a reload.
    const told = late < 5_000 ? '' : `, ${Math.round(late / 1000)} s ago, while the page was closed`
    return `The ${seconds} s${what} are over${told}.`
  },
}
