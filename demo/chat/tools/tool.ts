import type { Loop } from 'forkpoint'
import type { Call, Chat } from '../agent/chat.ts'

export interface ToolContext {
  readonly loop: Loop<Chat>
  /** Aborted when the user has had enough. */
  readonly halt: AbortSignal
}

export interface Tool {
  readonly name: string
  /** For the model. */
  readonly description: string
  /** A JSON Schema of what it is given. */
  readonly parameters: Readonly<Record<string, unknown>>
  use(call: Call, context: ToolContext): Promise<string> | string
}

/** Why a tool could not do what it was asked for. The model is told, and the run goes on. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** The text at this name of what the model has given. */
export function textOf({ tool, input }: Call, name: string): string {
  const value = input[name]
  if (typeof value !== 'string' || value.trim() === '')
    throw new ToolError(`${tool} needs a text as '${name}'.`)
  return value
}

export class Toolbox {
  readonly all: readonly Tool[]

  constructor(all: readonly Tool[]) {
    this.all = all
  }

  async use(call: Call, context: ToolContext): Promise<string> {
    const tool = this.all.find(({ name }) => name === call.tool)
    if (!tool) throw new ToolError(`There is no tool '${call.tool}'.`)
    return tool.use(call, context)
  }

  /** A journal gives errors back by their name: classes are lost on the way. */
  isOwn(error: unknown): error is Error {
    return error instanceof Error && (error.name === 'ToolError' || error.name === 'TimeoutError')
  }
}
