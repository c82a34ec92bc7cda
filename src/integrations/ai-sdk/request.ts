import type { ChatTransport, UIMessage } from 'ai'
import { Response } from './response.ts'

export type Send<Message extends UIMessage> = Parameters<ChatTransport<Message>['sendMessages']>[0]

/** How a transport is asked. Nothing of it is stored. */
export interface Ask<Message extends UIMessage>
  extends
    Pick<Send<Message>, 'chatId' | 'headers' | 'body' | 'metadata'>,
    Partial<Pick<Send<Message>, 'trigger' | 'messageId'>> {}

/** What is asked of a transport for one answer, until the signal is aborted. */
export class Request<Message extends UIMessage> {
  readonly #transport: ChatTransport<Message>
  readonly #ask: Ask<Message>
  readonly #signal: AbortSignal

  constructor(transport: ChatTransport<Message>, ask: Ask<Message>, signal: AbortSignal) {
    this.#transport = transport
    this.#ask = ask
    this.#signal = signal
  }

  /** What is kept of a response is given from its beginning. */
  get isReplayed(): boolean {
    return this.#transport.resumeStreamIsReplay === true
  }

  async send(messages: Message[]): Promise<Response> {
    const { trigger = 'submit-message', messageId, ...rest } = this.#ask
    const abortSignal = this.#signal
    const options = { trigger, messageId, messages, abortSignal, ...rest }
    return new Response(await this.#transport.sendMessages(options), abortSignal)
  }

  /** What a transport that keeps its streams itself has of this one, from the step after so many. */
  async reconnect(steps: number): Promise<Response | undefined> {
    const { trigger: _as, messageId: _which, ...rest } = this.#ask
    const abortSignal = this.#signal
    const stream = await this.#transport.reconnectToStream({ abortSignal, ...rest })
    if (!stream) return undefined
    const response = new Response(stream, abortSignal)
    if (this.isReplayed) await response.skip(steps)
    return response
  }
}
