import type { AgentState, Message } from '../agent-loop.ts'
import type { Step } from './contender.ts'

/** What is saved of an answer while it comes in is saved at most once in so many milliseconds. */
export const EVERY = 50

/** An answer of a model while it comes in: a message at the end of a thread, which is one step. */
export class Answer {
  readonly thread: string
  readonly seq: number
  readonly #before: AgentState
  readonly #tokens: readonly string[]
  #content = ''

  constructor(thread: string, seq: number, before: AgentState, tokens: readonly string[]) {
    this.thread = thread
    this.seq = seq
    this.#before = before
    this.#tokens = tokens
  }

  /** Each in a task of its own, as a network brings them. */
  async *tokens(): AsyncGenerator<string> {
    const { port1, port2 } = new MessageChannel()
    let next = (): void => {}
    port1.onmessage = () => next()
    for (const token of this.#tokens) {
      await new Promise<void>((resolve) => {
        next = resolve
        port2.postMessage(0)
      })
      this.#content += token
      yield token
    }
    port1.close()
  }

  /** With what has come so far. */
  message(): Message {
    return {
      id: `answer-${this.seq}`,
      role: 'assistant',
      content: this.#content,
      tokens: this.#tokens.length,
    }
  }

  /** The state with what has come so far: one of its own each time, as it is weighed later. */
  step(): Step {
    const message = this.message()
    const state = { ...this.#before, step: this.seq, messages: [...this.#before.messages, message] }
    return { thread: this.thread, seq: this.seq, state, change: { added: [message] } }
  }
}

/**
 * Calls `write` when something has come, but not while it is at work, and not more often than every 50 ms. Resolves when
 * all has come and nothing is at work.
 */
export async function asItComes(tokens: AsyncIterable<string>, write: () => Promise<unknown>): Promise<void> {
  let began = Number.NEGATIVE_INFINITY
  let isWriting = false
  let written: Promise<unknown> = Promise.resolve()
  for await (const _ of tokens) {
    if (isWriting || performance.now() - began < EVERY) continue
    began = performance.now()
    isWriting = true
    written = Promise.all([
      written,
      write().finally(() => {
        isWriting = false
      }),
    ])
    // It is told at the end.
    written.catch(() => {})
  }
  await written
}
