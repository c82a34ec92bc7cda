/** It wants to know which languages are meant. */
interface Languages {
  readonly expectedInputs: readonly { readonly type: 'text'; readonly languages: readonly string[] }[]
  readonly expectedOutputs: readonly { readonly type: 'text'; readonly languages: readonly string[] }[]
}

const TEXT = [{ type: 'text', languages: ['en'] }] as const
export const languages: Languages = { expectedInputs: TEXT, expectedOutputs: TEXT }

/** What is used of the browser's Prompt API; TypeScript does not know it yet. */
export interface PromptApi {
  availability(options: Languages): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>
  create(
    options: Languages & { readonly initialPrompts: readonly Prompt[]; readonly signal: AbortSignal },
  ): Promise<PromptSession>
}

export interface Prompt {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

interface PromptSession {
  promptStreaming(
    prompts: readonly Prompt[],
    options: { readonly signal: AbortSignal },
  ): ReadableStream<string>
  destroy(): void
}

export const promptApi = (): PromptApi | undefined =>
  (globalThis as { readonly LanguageModel?: PromptApi }).LanguageModel

/** In words for the one who chooses. */
export async function promptApiState(
  api = promptApi(),
): Promise<{ readonly isThere: boolean; readonly says: string }> {
  const state = api ? await api.availability(languages).catch(() => 'unavailable' as const) : undefined
  switch (state) {
    case 'available':
      return { isThere: true, says: 'Ready. Nothing leaves this device.' }
    case 'downloadable':
    case 'downloading':
      return { isThere: true, says: 'The browser downloads it when it is first used.' }
    case 'unavailable':
      return { isThere: false, says: 'It has one, but this device cannot run it.' }
    case undefined:
      return { isThere: false, says: 'This browser has none.' }
  }
}
