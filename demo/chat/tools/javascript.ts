import { textOf, type Tool } from './tool.ts'

const LIMIT_MS = 2_000
const MOST_CHARACTERS = 4_000

export const javascript: Tool = {
  name: 'javascript',
  description:
    'Runs JavaScript: an expression, or statements that return a value; console.log is shown too. No network, no storage, no page, two seconds.',
  parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  use(call, { loop, halt }) {
    const code = textOf(call, 'code')
    return loop.step(`javascript ${call.id}`, async ({ signal }) => {
      const { evaluate } = await import('./sandbox/evaluate.ts')
      const limits = { milliseconds: LIMIT_MS, characters: MOST_CHARACTERS }
      const text = await evaluate(code, { ...limits, signal: AbortSignal.any([signal, halt]) })
      return text === '' ? '(nothing came of it)' : text
    })
  },
}
