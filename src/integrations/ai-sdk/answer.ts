import { generateId, type ChatTransport, type UIMessage, type UIMessageChunk } from 'ai'
import type { Loop } from '../../checkpointer/runs/types.ts'
import type { StreamOptions, WhenCut } from '../../checkpointer/runs/streams/options.ts'
import { CheckpointerError } from '../../errors.ts'
import { linked } from '../shared/linked.ts'
import { assembled } from './assemble.ts'
import { hasCalls, isToGoOn } from './tools/calls.ts'
import { answerIn, stepsIn, type Chat, type Facts } from './chat.ts'
import { inWords, type RunJournal } from './tools/journal.ts'
import { Request, type Ask } from './request.ts'
import { ToldError, type Response } from './response.ts'
import type { Shown } from './shown.ts'

export interface AnswerOptions<Message extends UIMessage> {
  readonly loop: Loop<Chat<Message>>
  readonly journal: RunJournal
  readonly transport: ChatTransport<Message>
  readonly shown: Shown
  readonly ask: Ask<Message>
  /** Whether what was cut off may be asked for again. */
  readonly mayAskAgain: boolean
  /** Aborted when the user wants no more of it. */
  readonly stop: AbortSignal
}

/** Chunks that say nothing yet. */
const OPENINGS: readonly UIMessageChunk['type'][] = ['start', 'start-step', 'text-start', 'reasoning-start']

/** One answer: its steps as they come from the transport, each of which is a checkpoint. */
export class Answer<Message extends UIMessage> {
  readonly #options: AnswerOptions<Message>
  /** What comes before the answer. */
  readonly #before: readonly Message[]
  readonly #ended: AbortController
  /** What is stored of the answer. */
  #message: Message | undefined
  /** How many steps it had when it was asked for. */
  readonly #asked: number
  #id: string | undefined
  readonly #request: Request<Message>
  #response: Response | undefined
  /** What was found of it has been gone on from. */
  #isGoneOn: boolean
  #isRestarted = false
  /** What there was of a step that is begun anew, until that says something itself. */
  #cut: readonly UIMessageChunk[] | undefined
  #cannot: CheckpointerError | undefined

  constructor(options: AnswerOptions<Message>) {
    const { loop, stop, journal, transport, ask } = options
    this.#options = options
    this.#ended = linked(stop, loop.signal)
    this.#request = new Request(transport, ask, this.#ended.signal)
    this.#message = answerIn(loop.state.messages)
    this.#before = this.#message ? loop.state.messages.slice(0, -1) : loop.state.messages
    this.#asked = loop.state.asked ?? 0
    this.#id = this.#message?.id
    this.#isGoneOn = loop.began === 'fresh'
    if (this.#ended.signal.aborted) journal.end()
    else this.#ended.signal.addEventListener('abort', () => journal.end(), { once: true })
    for (const part of this.#message?.parts ?? []) if ('toolCallId' in part) journal.isLogged(part.toolCallId)
  }

  async give(): Promise<void> {
    const { loop, shown, stop } = this.#options
    if (loop.began === 'resumed') {
      shown.takeBack()
      if (this.#message) shown.show(this.#message)
    }
    try {
      // The first one also when no more is wanted: what the journal has of it is kept.
      while ((await this.#step()) && !stop.aborted);
      loop.signal.throwIfAborted()
    } finally {
      this.#ended.abort()
    }
  }

  /** One step, to its end or as far as it came; gives whether another may follow. */
  async #step(): Promise<boolean> {
    const response = this.#response
    if (response && (await this.#isOver(response))) return false
    const { stop, journal } = this.#options
    const read = await this.#read(
      () => this.#chunks(),
      (cut) => this.#whenCut(cut.chunks),
    )
    const chunks = stop.aborted && this.#cut ? this.#cut : read
    this.#message = await assembled(this.#message, chunks)
    if (this.#cannot) throw this.#cannot
    if (!this.#message) return false
    const isWhole = chunks.at(-1)?.type === 'finish-step'
    const isLeft = !isWhole && (stop.aborted || !this.#response)
    // One that was cut off, or is wanted no more, ends with what its calls have come to.
    if (isLeft && (hasCalls(chunks) || journal.isBusyWith(this.#message)))
      await this.#close(this.#message, hasCalls(chunks))
    else if (chunks.length === 0) return false
    else if (!isWhole) {
      await this.#save(stop.aborted ? 'stopped' : 'end')
      return false
    }
    await this.#save(stop.aborted ? 'stopped' : 'step')
    return this.#response !== undefined || isToGoOn(this.#message)
  }

  /** Logs what comes, and shows it at once. */
  async #read(
    source: () => AsyncIterable<UIMessageChunk>,
    whenCut: StreamOptions<UIMessageChunk>['whenCut'],
  ): Promise<readonly UIMessageChunk[]> {
    const { loop, shown, journal } = this.#options
    const chunks: UIMessageChunk[] = []
    for await (const chunk of loop.stream<UIMessageChunk>('answer', source, { whenCut })) {
      if (this.#isRestarted) shown.takeBack()
      this.#isRestarted = false
      if (!OPENINGS.includes(chunk.type)) this.#cut = undefined
      if (chunk.type === 'start') this.#id = chunk.messageId
      chunks.push(chunk)
      // An error comes as what it is, behind this.
      if (chunk.type !== 'error') shown.pass(chunk)
      journal.hears(chunk)
    }
    return chunks
  }

  /** A step was under way when its page went. */
  async #whenCut(chunks: readonly UIMessageChunk[]): Promise<WhenCut> {
    const { mayAskAgain, shown, stop } = this.#options
    const start = chunks.find(({ type }) => type === 'start')
    if (start?.type === 'start') this.#id = start.messageId
    if (stop.aborted || chunks.at(-1)?.type === 'finish-step') return 'keep'
    this.#isGoneOn = true
    this.#response = await this.#reconnected()
    if (stop.aborted) return 'keep'
    if (this.#response && !this.#request.isReplayed) return 'continue'
    if (!this.#response && !mayAskAgain) {
      this.#cannot = cannotGoOn()
      return 'keep'
    }
    // What its calls have come to is not forgotten: the step ends with that.
    if (!this.#response && hasCalls(chunks)) return 'keep'
    for (const chunk of chunks) if (chunk.type !== 'error') shown.pass(chunk)
    this.#isRestarted = true
    this.#cut = chunks
    return 'restart'
  }

  async *#chunks(): AsyncGenerator<UIMessageChunk, void, undefined> {
    const { stop } = this.#options
    if (stop.aborted) return
    try {
      this.#response ??= await this.#opened()
      const response = this.#response
      this.#isGoneOn = true
      if (!response || stop.aborted) return
      if (this.#id === undefined && (await response.peek())?.type !== 'start')
        yield { type: 'start', messageId: generateId() }
      for await (const chunk of response.step()) yield this.#named(chunk)
    } catch (error) {
      // For those who have no more than the log.
      if (!(error instanceof ToldError)) yield { type: 'error', errorText: inWords(error) }
      throw error
    }
  }

  /** An answer keeps the id that it has once begun with. */
  #named(chunk: UIMessageChunk): UIMessageChunk {
    if (chunk.type !== 'start') return chunk
    return { ...chunk, messageId: this.#id ?? chunk.messageId ?? generateId() }
  }

  /** Of a run that goes on, the transport is asked only for what is missing. */
  async #opened(): Promise<Response | undefined> {
    const { stop, mayAskAgain, loop } = this.#options
    if (!this.#isGoneOn) {
      const isBegun = this.#message !== undefined && stepsIn(this.#message) > this.#asked
      if (this.#message && isBegun && !isToGoOn(this.#message)) return undefined
      const response = await this.#reconnected()
      if (response || stop.aborted) return response
      if (!mayAskAgain) throw cannotGoOn()
    }
    try {
      return await this.#request.send(loop.state.messages)
    } catch (error) {
      if (stop.aborted) return undefined
      throw error
    }
  }

  async #reconnected(): Promise<Response | undefined> {
    try {
      return await this.#request.reconnect(this.#message ? stepsIn(this.#message) - this.#asked : 0)
    } catch (error) {
      if (this.#options.stop.aborted) return undefined
      throw error
    }
  }

  /** Whether nothing but its end follows, which is then shown. */
  async #isOver(response: Response): Promise<boolean> {
    const { shown } = this.#options
    const next = await response.peek()
    if (next && next.type !== 'finish') return false
    const end: UIMessageChunk[] = []
    for (let chunk = await response.read(); chunk; chunk = await response.read()) end.push(chunk)
    for (const chunk of end) shown.pass(chunk)
    // It may say something about the whole message.
    if (end.some((chunk) => 'messageMetadata' in chunk && chunk.messageMetadata !== undefined)) {
      this.#message = await assembled(this.#message, end)
      await this.#save('end')
    }
    return true
  }

  async #close(message: Message, isStep: boolean): Promise<void> {
    const { journal, stop } = this.#options
    const messages = [...this.#before, message]
    const outcomes = async function* (): AsyncGenerator<UIMessageChunk, void, undefined> {
      yield* journal.outcomes(messages, stop)
      if (isStep) yield { type: 'finish-step' }
    }
    // Outcomes that are told twice are the same.
    const chunks = await this.#read(outcomes, 'restart')
    this.#message = await assembled(message, chunks)
  }

  async #save(node: string): Promise<void> {
    const { loop } = this.#options
    if (!this.#message) return
    loop.state.messages = [...this.#before, this.#message]
    const facts: Facts = { message: this.#message.id, after: this.#before.at(-1)?.id ?? null }
    await loop.save({ node, step: stepsIn(this.#message), extra: { chat: facts } })
  }
}

const cannotGoOn = (): CheckpointerError =>
  new CheckpointerError(
    'UNSUPPORTED',
    'The answer was cut off when its page went away, and its transport has no more of it. What there is of it is kept: send again, or regenerate it.',
  )
