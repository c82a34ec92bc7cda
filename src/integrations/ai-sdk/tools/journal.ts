import {
  convertToModelMessages,
  getToolName,
  type ToolExecutionOptions,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import type { Loop, UnknownDecision } from '../../../checkpointer/runs/types.ts'
import { CheckpointerError } from '../../../errors.ts'
import { callsWithoutEnd, openCalls, type ToolPart } from './calls.ts'
import { UNKNOWN, usedOnce } from '../../shared/used-once.ts'
import { Told } from './told.ts'

export interface JournaledToolsOptions<Name extends string = string> {
  /** Tools that change nothing: when nobody knows how one has ended, it is used again. */
  readonly repeatable?: readonly Name[] | undefined
}

/** What an agent does through it is written down, and not done again when its run is resumed. */
export interface Journal {
  /** The same tools, each call of which is done once, by its id. */
  tools<Tools extends ToolSet>(tools: Tools, options?: JournaledToolsOptions<keyof Tools & string>): Tools
}

type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown
type Begun = Pick<ToolExecutionOptions<unknown>, 'toolCallId' | 'messages'>

interface Ground {
  readonly loop: Loop
  readonly checkpointer: Checkpointer
}

export const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const STOPPED = 'This was stopped before it was begun.'

const untold = (name: string): CheckpointerError =>
  new CheckpointerError(
    'UNSUPPORTED',
    `The transport has used '${name}' without telling of it, so that a reload could do it twice. Have its stream tell of each call, make the tool repeatable, or give the agent the tool as it is.`,
  )

/** The tool calls of one run. */
export class RunJournal implements Journal {
  readonly #ground: Ground
  readonly #executes = new Map<string, Execute | undefined>()
  readonly #begun = new Map<string, Promise<unknown>>()
  readonly #told = new Told()
  /** What the calls that are under way were begun with. */
  readonly #underWay = new Set<Begun>()

  constructor(ground: Ground) {
    this.#ground = ground
  }

  tools<Tools extends ToolSet>(
    tools: Tools,
    { repeatable = [] }: JournaledToolsOptions<keyof Tools & string> = {},
  ): Tools {
    const journaled = Object.entries(tools).map(([name, tool]) => {
      const { execute } = tool
      const once = execute && this.#once(name, execute, repeatable.includes(name))
      this.#executes.set(name, once)
      return [name, once ? { ...tool, execute: once } : tool]
    })
    // The same names, and of each tool all but what runs when it is used.
    return Object.fromEntries(journaled) as Tools
  }

  /** The message that the call is part of is stored. */
  isLogged(toolCallId: string): void {
    this.#told.add(toolCallId)
  }

  /** A chunk has come into the log of the answer. */
  hears(chunk: UIMessageChunk): void {
    this.#told.hear(chunk)
  }

  /** The answer has ended: what was not begun will not be. */
  end(): void {
    this.#told.end()
  }

  /** Whether a call of this message is under way, or has been done without its result having come. */
  isBusyWith(message: UIMessage): boolean {
    return callsWithoutEnd(message).some(({ toolCallId }) => this.#begun.has(toolCallId))
  }

  /**
   * What the open calls of the last message have come to, or come to now; and of those that are not to be begun, why.
   * Those that the page answers itself stay open.
   */
  async *outcomes(
    messages: readonly UIMessage[],
    stop: AbortSignal,
  ): AsyncGenerator<UIMessageChunk, void, undefined> {
    const [message] = messages.slice(-1)
    if (!message) return
    const open = new Set(openCalls(message))
    for (const call of callsWithoutEnd(message)) {
      const { toolCallId } = call
      const name = getToolName(call)
      if (!this.#begun.has(toolCallId) && !open.has(call)) continue
      if (this.#executes.has(name) && !this.#executes.get(name)) continue
      try {
        yield { type: 'tool-output-available', toolCallId, output: await this.#outcome(call, messages, stop) }
      } catch (error) {
        yield { type: 'tool-output-error', toolCallId, errorText: inWords(error) }
      }
    }
  }

  async #outcome(call: ToolPart, messages: readonly UIMessage[], stop: AbortSignal): Promise<unknown> {
    const { toolCallId, input } = call
    const begun = this.#begun.get(toolCallId)
    if (begun) return begun
    const execute = this.#executes.get(getToolName(call))
    if (!execute) throw new Error(UNKNOWN)
    this.isLogged(toolCallId)
    const told = await convertToModelMessages([...messages], { ignoreIncompleteToolCalls: true })
    return execute(input, { toolCallId, messages: told, abortSignal: stop, context: undefined })
  }

  #once(name: string, execute: Execute, isRepeatable: boolean): Execute {
    return (input, options) => {
      const { toolCallId } = options
      const isWithin = this.#isWithinAnother(options)
      const work = (): unknown => {
        // Asked here, behind the journal: what it has of the call was begun, by this page or one before it.
        if (options.abortSignal?.aborted) throw new Error(STOPPED)
        return execute(input, options)
      }
      const doing = this.#do(name, options, isRepeatable, isWithin, work)
      // Those of the answer itself count: an agent within may have given one of its own the same id.
      if (!isWithin || !this.#begun.has(toolCallId)) this.#begun.set(toolCallId, doing)
      return doing
    }
  }

  /** An agent begins all calls of a step with the same messages, and no step before the last one has ended. */
  #isWithinAnother({ messages, toolCallId }: ToolExecutionOptions<unknown>): boolean {
    return [...this.#underWay].some((other) => other.messages !== messages || other.toolCallId === toolCallId)
  }

  async #do(
    name: string,
    { toolCallId, messages }: Begun,
    isRepeatable: boolean,
    isWithin: boolean,
    work: () => unknown,
  ): Promise<unknown> {
    const { loop } = this.#ground
    // Of one that is part of another the log need not know: that one is not begun again.
    if (!isWithin && !isRepeatable) await this.#whenTold(name, toolCallId)
    const begun = { toolCallId, messages }
    const use = async (): Promise<unknown> => {
      this.#underWay.add(begun)
      try {
        return await lastOf(work())
      } finally {
        this.#underWay.delete(begun)
      }
    }
    const whenUnknown = (): UnknownDecision => ({ error: new Error(UNKNOWN) })
    return usedOnce(loop, { tool: name, toolCallId, isRepeatable, use, whenUnknown })
  }

  /**
   * A call that was begun must be in the log: where it is not, its step is asked for again, and the model gives the
   * same call another id.
   */
  async #whenTold(name: string, toolCallId: string): Promise<void> {
    const telling = await this.#told.of(toolCallId)
    if (telling === 'ended') throw new Error(STOPPED)
    if (telling === 'never') throw untold(name)
    await this.#ground.checkpointer.flush()
  }
}

/** Of a tool that tells how far it is, the last that it tells. */
async function lastOf(given: unknown): Promise<unknown> {
  const result: unknown = await given
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result
  let last: unknown
  for await (const each of result as AsyncIterable<unknown>) last = each
  return last
}
