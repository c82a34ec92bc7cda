import type { UIMessage, UIMessageChunk } from 'ai'
import { expect, it } from 'vitest'
import { assembled } from '../../../src/integrations/ai-sdk/assemble.ts'
import { takenApart } from '../../../src/integrations/ai-sdk/take-apart.ts'

const start: UIMessageChunk = { type: 'start', messageId: 'm', messageMetadata: { by: 'model' } }
const call = { toolCallId: 'call', toolName: 'search', input: { city: 'Lisbon' } }

/** Each makes a message, and is what some part of it is made of. */
const streams: Readonly<Record<string, readonly UIMessageChunk[]>> = {
  'text and thought, in steps': [
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'r', providerMetadata: { p: { a: 1 } } },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hel' },
    { type: 'text-delta', id: 't', delta: 'lo' },
    { type: 'text-end', id: 't', providerMetadata: { p: { b: 2 } } },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'and so on' },
  ],
  'a call and its result': [
    { type: 'start-step' },
    { type: 'tool-input-start', toolCallId: 'call', toolName: 'search', title: 'Search' },
    { type: 'tool-input-delta', toolCallId: 'call', inputTextDelta: '{"city":' },
    { type: 'tool-input-delta', toolCallId: 'call', inputTextDelta: '"Lisbon"}' },
    { type: 'tool-input-available', ...call, providerMetadata: { p: { c: 3 } } },
    {
      type: 'tool-output-available',
      toolCallId: 'call',
      output: ['TP 1351'],
      providerMetadata: { p: { d: 4 } },
    },
    { type: 'finish-step' },
  ],
  'a call that fails': [
    { type: 'start-step' },
    { type: 'tool-input-available', ...call, dynamic: true },
    { type: 'tool-output-error', toolCallId: 'call', errorText: 'no' },
  ],
  'a call that waits': [{ type: 'start-step' }, { type: 'tool-input-available', ...call }],
  'half a call': [
    { type: 'start-step' },
    { type: 'tool-input-start', toolCallId: 'call', toolName: 'search' },
    { type: 'tool-input-delta', toolCallId: 'call', inputTextDelta: '{"city":"Lis' },
  ],
  'an approval': [
    { type: 'start-step' },
    { type: 'tool-input-available', ...call },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'call', reason: 'costs', signature: 's' },
  ],
  'an approval that was refused': [
    { type: 'start-step' },
    { type: 'tool-input-available', ...call },
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'call' },
    { type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'too much' },
    { type: 'tool-output-denied', toolCallId: 'call' },
  ],
  'what else there is': [
    { type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'Source' },
    { type: 'source-document', sourceId: 'd', mediaType: 'text/plain', title: 'Document' },
    { type: 'file', url: 'data:,', mediaType: 'text/plain' },
    { type: 'data-weather', id: 'w', data: { is: 'fine' } },
    { type: 'data-weather', id: 'w', data: { is: 'rain' } },
    { type: 'custom', kind: 'of.mine' },
  ],
}

it.each(Object.entries(streams))('%s, taken apart, make the same message again', async (_name, chunks) => {
  const message = await assembled<UIMessage>(undefined, [start, ...chunks])
  expect(message?.parts.length).toBeGreaterThan(0)
  const again = message && (await assembled(undefined, [start, ...takenApart(message, 0)]))
  expect(again).toEqual(message)
})

it('is taken apart from the step on that is missing', async () => {
  const message = await assembled<UIMessage>(undefined, [
    start,
    ...(streams['text and thought, in steps'] ?? []),
  ])
  const chunks = message ? [...takenApart(message, 1)] : []
  expect(chunks.map(({ type }) => type)).toEqual(['start-step', 'text-start', 'text-delta', 'finish-step'])
})

it('what is made of a thousand pieces is what is made of them one by one', async () => {
  const pieces = Array.from({ length: 1_000 }, (_, at): UIMessageChunk => ({
    type: 'text-delta',
    id: 't',
    delta: `${at} `,
  }))
  const message = await assembled<UIMessage>(undefined, [start, { type: 'text-start', id: 't' }, ...pieces])
  expect(message?.parts).toEqual([
    {
      type: 'text',
      text: pieces.map((piece) => ('delta' in piece ? piece.delta : '')).join(''),
      state: 'streaming',
    },
  ])
})
