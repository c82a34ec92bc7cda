import {
  AIMessage,
  HumanMessage,
  ToolMessage,
  type AIMessageFields,
  type BaseMessage,
} from '@langchain/core/messages'
import {
  END,
  MessagesAnnotation,
  START,
  StateGraph,
  type BaseCheckpointSaver,
} from '@langchain/langgraph/web'

type State = typeof MessagesAnnotation.State

const answersIn = (messages: readonly BaseMessage[]): number =>
  messages.filter((message) => ToolMessage.isInstance(message)).length

const lastCalls = ({ messages }: State): boolean => {
  const last = messages.at(-1)
  return last !== undefined && AIMessage.isInstance(last) && (last.tool_calls?.length ?? 0) > 0
}

/** What a provider tells of each answer. */
const told = (number: number): AIMessageFields => ({
  response_metadata: {
    model_name: 'scripted-1',
    finish_reason: 'tool_calls',
    system_fingerprint: 'fp_6b68a8204b',
    tokenUsage: { promptTokens: 120 + number, completionTokens: 31, totalTokens: 151 + number },
  },
})

const found = (number: number): string =>
  JSON.stringify({
    results: [1, 2].map((rank) => ({
      rank,
      title: `Minutes ${number}.${rank}`,
      text: `Number ${number} was moved to room ${number * 7}, and is to be read by everyone until Friday.`,
    })),
  })

/** An agent that calls a tool, again and again: a scripted model, and what its tool finds. Two steps a call. */
export function toolGraph(checkpointer: BaseCheckpointSaver, calls: number) {
  const model = ({ messages }: State) => {
    const number = answersIn(messages)
    const id = `ai-${number}`
    if (number === calls) return { messages: [new AIMessage({ id, content: 'That was all.' })] }
    const args = { query: `What became of number ${number}?` }
    const call = { name: 'search', args, id: `call-${number}`, type: 'tool_call' as const }
    const content = `I look up number ${number}.`
    return { messages: [new AIMessage({ id, content, tool_calls: [call], ...told(number) })] }
  }
  const tool = ({ messages }: State) => {
    const number = answersIn(messages)
    // It gets its id from the state, as those of LangGraph's tool node do.
    const about = { name: 'search', tool_call_id: `call-${number}` }
    return { messages: [new ToolMessage({ ...about, content: found(number) })] }
  }
  return new StateGraph(MessagesAnnotation)
    .addNode('model', model)
    .addNode('tool', tool)
    .addEdge(START, 'model')
    .addConditionalEdges('model', (state) => (lastCalls(state) ? 'tool' : END))
    .addEdge('tool', 'model')
    .compile({ checkpointer })
}

export const question = new HumanMessage({ id: 'question', content: 'What became of them all?' })
