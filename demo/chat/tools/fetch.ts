import { unlessLeaving } from '../agent/leaving.ts'
import { textOf, ToolError, type Tool } from './tool.ts'

/** What the user is asked; also what the view shows. */
export interface FetchQuestion {
  readonly about: 'fetch'
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** What would be sent. */
  readonly body?: string
}

const MOST_CHARACTERS = 4_000
const PATIENCE_MS = 30_000

/** Nothing leaves the browser before the user has said so, of this very address. */
export const fetchTool: Tool = {
  name: 'fetch',
  description: 'Fetches a text over HTTP, once the user has allowed it. POST sends a body.',
  parameters: {
    type: 'object',
    properties: {
      url: { type: 'string' },
      method: { type: 'string', enum: ['GET', 'POST'] },
      body: { type: 'string' },
    },
    required: ['url'],
  },
  async use(call, { loop, halt }) {
    const url = addressOf(textOf(call, 'url'))
    const method = call.input['method'] === 'POST' ? 'POST' : 'GET'
    const { body: given } = call.input
    const body = method === 'GET' ? null : typeof given === 'string' ? given : JSON.stringify(given ?? '')
    const question: FetchQuestion = { about: 'fetch', method, url, ...(body === null ? {} : { body }) }
    const allowed = await loop.ask<boolean>(question, { name: `may ${call.id}` })
    if (allowed !== true) throw new ToolError('The user did not allow it.')
    // To read twice does no harm. To send twice may: then, after a crash, the user is asked what became of it.
    return loop.step(
      `${method} ${call.id}`,
      ({ signal }) => unlessLeaving(read(url, { method, body, signal: AbortSignal.any([signal, halt]) })),
      { effect: method === 'POST' ? 'external' : 'none', timeout: PATIENCE_MS },
    )
  },
}

function addressOf(text: string): string {
  const url = URL.canParse(text, location.href) ? new URL(text, location.href) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new ToolError(`'${text}' is no address for HTTP.`)
  return url.href
}

async function read(url: string, request: RequestInit): Promise<string> {
  const { host } = new URL(url)
  let response: Response
  let text: string
  try {
    // Neither cookies nor the address of this page go along. And only this address was allowed, not where it may lead.
    response = await fetch(url, {
      ...request,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
    })
    text = await response.text()
  } catch (cause) {
    throw new ToolError(`${host} could not be reached, or does not answer to pages.`, { cause })
  }
  if (response.type === 'opaqueredirect')
    throw new ToolError(
      `${url} leads to another address, which a page is not told and nobody has allowed: fetch that one itself.`,
    )
  const beginning = text.slice(0, MOST_CHARACTERS)
  const rest = text.length > MOST_CHARACTERS ? `\n… and ${text.length - MOST_CHARACTERS} characters more` : ''
  return `${response.status} ${response.statusText}\n${beginning}${rest}`.trim()
}
