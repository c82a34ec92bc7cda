import type { run } from '@openai/agents-core'
import type { Loop } from '../../checkpointer/runs/types.ts'
import { CheckpointerError } from '../../errors.ts'
import { UNKNOWN, usedOnce } from '../shared/used-once.ts'
import type { JournaledModels } from './journaled-models.ts'

/** Whatever context it has, and whatever it gives. */
export type AnyAgent = Parameters<typeof run>[0]
type AnyHandoff = Extract<AnyAgent['handoffs'][number], { onInvokeHandoff: unknown }>
type AnyTool = AnyAgent['tools'][number]
type AnyFunctionTool = Extract<AnyTool, { type: 'function' }>

/** What the agents of runs were made of: a run's own are of no use behind it. */
const origins = new WeakMap<AnyAgent, AnyAgent>()

/** The agent as it was given. */
export function originOf<TAgent extends AnyAgent>(agent: TAgent): TAgent {
  // Of the same kind.
  return (origins.get(agent) ?? agent) as TAgent
}

/** The agents of a run, as ones that do nothing again that they have done: neither their models nor their tools. */
export class JournaledAgents {
  readonly #loop: Loop
  readonly #models: JournaledModels
  readonly #repeatable: ReadonlySet<string>
  /** Agents hand over to one another, also in circles. */
  readonly #made = new Map<AnyAgent, AnyAgent>()

  constructor(loop: Loop, models: JournaledModels, repeatable: readonly string[] = []) {
    this.#loop = loop
    this.#models = models
    this.#repeatable = new Set(repeatable)
  }

  of<TAgent extends AnyAgent>(given: TAgent): TAgent {
    const agent = originOf(given)
    const made = this.#made.get(agent) ?? this.#make(agent)
    // A clone, which is of the same kind.
    return made as TAgent
  }

  #make(agent: AnyAgent): AnyAgent {
    const { model } = agent
    const made: AnyAgent = agent.clone({
      tools: agent.tools.map((tool) => this.#tool(tool)),
      handoffs: [],
      ...(typeof model === 'string' ? {} : { model: this.#models.of(model) }),
    })
    this.#made.set(agent, made)
    origins.set(made, agent)
    made.handoffs = agent.handoffs.map((each) =>
      'onInvokeHandoff' in each ? this.#handoff(each) : this.of(each),
    )
    made.getMcpTools = async (...given) => (await agent.getMcpTools(...given)).map((tool) => this.#tool(tool))
    // Who listens to the agent hears of this one.
    made.emit = agent.emit.bind(agent)
    return made
  }

  #handoff(handoff: AnyHandoff): AnyHandoff {
    return handoff.clone({
      agent: this.of(handoff.agent),
      onInvokeHandoff: async (...given) => this.of(await handoff.onInvokeHandoff(...given)),
    })
  }

  #tool(tool: AnyTool): AnyTool {
    // Its provider sees to it, within a call of the model.
    if (tool.type === 'hosted_tool') return tool
    if (tool.type === 'function') return this.#functionTool(tool)
    throw new CheckpointerError(
      'UNSUPPORTED',
      `What '${tool.name}' does cannot be kept from being done twice. Give the agent a function that does it.`,
    )
  }

  #functionTool(tool: AnyFunctionTool): AnyFunctionTool {
    const isRepeatable = this.#repeatable.has(tool.name)
    const invoke: AnyFunctionTool['invoke'] = (context, input, details) =>
      usedOnce(this.#loop, {
        tool: tool.name,
        toolCallId: details?.toolCall?.callId ?? '',
        isRepeatable,
        use: async () => tool.invoke(context, input, details),
        whenUnknown: () => ({ value: UNKNOWN }),
      })
    // With all that the SDK has written on it, which is not only what is seen.
    const made = Object.defineProperties({}, Object.getOwnPropertyDescriptors(tool)) as AnyFunctionTool
    made.invoke = invoke
    return made
  }
}
