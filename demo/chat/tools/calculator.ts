import { evaluate } from './arithmetic.ts'
import { textOf, type Tool } from './tool.ts'

export const calculator: Tool = {
  name: 'calculator',
  description:
    'Works out an arithmetic expression: + - * / ^ %, parentheses, sqrt, abs, round, floor, ceil, min, max, pi, e.',
  parameters: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'for example (3 + 4) * 2' } },
    required: ['expression'],
  },
  use(call) {
    const expression = textOf(call, 'expression')
    const value = evaluate(expression)
    // Without the dust of binary fractions: 0.1 + 0.2 is 0.3.
    return `${expression} = ${Number(value.toPrecision(14))}`
  },
}
