import type { Model, ModelProvider, ModelResponse, StreamEvent } from '@openai/agents-core'
import type { Loop } from '../../checkpointer/runs/types.ts'

/** What a call of a model has come to: of one that has failed no more is kept, as it was tried again or has ended the run. */
interface Asked {
  readonly response?: ModelResponse
}

/** Models that say again what they have said in a run. */
export class JournaledModels {
  readonly #loop: Loop
  readonly #made = new Map<Model, Model>()

  constructor(loop: Loop) {
    this.#loop = loop
  }

  /** Of those that agents call by their names. */
  provider(provider: ModelProvider): ModelProvider {
    return { getModel: async (name) => this.of(await provider.getModel(name)) }
  }

  of(model: Model): Model {
    const known = this.#made.get(model)
    if (known) return known
    const { supportsPromptModelSelection } = model
    const advice = model.getRetryAdvice?.bind(model)
    const made: Model = {
      ...(supportsPromptModelSelection === undefined ? {} : { supportsPromptModelSelection }),
      ...(advice ? { getRetryAdvice: advice } : {}),
      getResponse: (request) => this.#response(() => model.getResponse(request)),
      getStreamedResponse: (request) =>
        this.#loop.stream<StreamEvent>('stream', () => plainEvents(model.getStreamedResponse(request))),
    }
    this.#made.set(model, made)
    return made
  }

  async #response(ask: () => Promise<ModelResponse>): Promise<ModelResponse> {
    for (;;) {
      let failed: { readonly cause: unknown } | undefined
      const { response } = await this.#loop.step<Asked>('model', async () => {
        try {
          return { response: plain(await ask()) }
        } catch (cause) {
          failed = { cause }
          return {}
        }
      })
      if (response) return response
      if (failed) throw failed.cause
      // It had failed in another page, which has asked again after that.
    }
  }
}

async function* plainEvents(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  for await (const event of events) yield plain(event)
}

/** As the SDK would keep it: some of it are instances of classes, which nobody asks for more than what they hold. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
