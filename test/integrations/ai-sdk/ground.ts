import 'fake-indexeddb/auto'
import { Chat } from '@ai-sdk/react'
import { DirectChatTransport, tool, ToolLoopAgent, type ChatTransport, type UIMessage } from 'ai'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointTransport, type ForkpointTransportOptions } from 'forkpoint/ai-sdk'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { scriptedModel, trip } from '../../support/scripted-model.ts'

type Script = Parameters<typeof scriptedModel>[0]

export interface PageOptions {
  readonly script?: Script
  readonly before?: (piece: string) => void | Promise<void>
  readonly onBook?: () => void | Promise<void>
  readonly onSearch?: () => void | Promise<void>
  readonly needsApproval?: boolean
  readonly onError?: (error: Error) => void
  readonly wrapped?: ForkpointTransportOptions<UIMessage>['transport']
  readonly whenCut?: 'restart' | 'keep'
}

/** Never comes. */
export const never = new Promise<never>(() => {})

/** Pages of one site: each opens the same database anew. */
export function site() {
  const booked: string[] = []
  const searched: string[] = []
  const name = `site-${Math.random()}`

  async function page({
    script = trip,
    before,
    onBook,
    onSearch,
    needsApproval,
    ...options
  }: PageOptions = {}) {
    const checkpointer: Checkpointer = await openCheckpointer({ name, worker: false })
    onTestFinished(() => checkpointer.close())
    const model = scriptedModel(script, before)
    const tools = {
      search: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          searched.push(city)
          await onSearch?.()
          return `TP 1351 to ${city}`
        },
      }),
      book: tool({
        inputSchema: z.object({ flight: z.string() }),
        needsApproval: needsApproval ?? false,
        execute: async ({ flight }) => {
          booked.push(flight)
          await onBook?.()
          return `${flight} is booked`
        },
      }),
    }
    const transport = new ForkpointTransport<UIMessage>({
      checkpointer,
      transport:
        options.wrapped ??
        ((journal) =>
          new DirectChatTransport({
            agent: new ToolLoopAgent({ model, tools: journal.tools(tools, { repeatable: ['search'] }) }),
          }) as ChatTransport<UIMessage>),
      whenCut: options.whenCut,
    })
    const chat = new Chat<UIMessage>({
      id: 'c',
      transport,
      messages: await transport.loadMessages('c'),
      ...(options.onError ? { onError: options.onError } : {}),
    })
    return {
      checkpointer,
      transport,
      chat,
      model,
      thread: checkpointer.thread<{ messages: UIMessage[] }>('c'),
    }
  }
  return { page, booked, searched }
}

export const shortly = (messages: readonly UIMessage[]): string =>
  messages
    .map(({ parts }) =>
      parts
        .flatMap((part) => {
          if (part.type === 'text') return part.text
          return 'toolCallId' in part ? `${part.type.slice(5)}:${part.state}` : []
        })
        .join('|'),
    )
    .join(' / ')
