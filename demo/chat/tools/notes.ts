import { textOf, ToolError, type Tool } from './tool.ts'

/** They are part of the state: a fork has its own, and going back in time brings old ones back. */
export const notes: Tool = {
  name: 'notes',
  description: 'Keeps notes with this conversation: adds one, lists them, or removes one by its number.',
  parameters: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['add', 'list', 'remove'] },
      text: { type: 'string', description: 'for add' },
      number: { type: 'integer', description: 'for remove, counted from 1' },
    },
    required: ['action'],
  },
  use(call, { loop }) {
    const list = loop.state.notes
    const { action, number } = call.input
    if (action === 'add') list.push(textOf(call, 'text'))
    else if (action === 'remove') {
      if (typeof number !== 'number' || list[number - 1] === undefined)
        throw new ToolError(`There is no note ${String(number)}.`)
      list.splice(number - 1, 1)
    } else if (action !== 'list') throw new ToolError(`notes cannot '${String(action)}'.`)
    return list.length === 0 ? 'There are no notes.' : list.map((text, i) => `${i + 1}. ${text}`).join('\n')
  },
}
