import { expect, it } from 'vitest'
import type { ToolMessage } from '../../../demo/chat/agent/chat.ts'
import { planFor } from '../../../demo/chat/models/scripted/plans.ts'

const calls = (asked: string) => planFor(asked)([] satisfies ToolMessage[]).call

it.each([
  ['What is 17% of 4,250?', { tool: 'calculator', input: { expression: '17% * 4,250' } }],
  ['sqrt(2)', { tool: 'calculator', input: { expression: 'sqrt(2)' } }],
  ['Wait for 10 s', { tool: 'timer', input: { seconds: 10 } }],
  ['Set a timer for 2 minutes, please', { tool: 'timer', input: { seconds: 120 } }],
  ['A 30-second timer', { tool: 'timer', input: { seconds: 30 } }],
  [
    'Remember that the ferry leaves at 9.',
    { tool: 'notes', input: { action: 'add', text: 'the ferry leaves at 9' } },
  ],
  ['Note: buy oil', { tool: 'notes', input: { action: 'add', text: 'buy oil' } }],
  ['List my notes', { tool: 'notes', input: { action: 'list' } }],
  ['Please fetch https://example.org/a.', { tool: 'fetch', input: { url: 'https://example.org/a' } }],
  ['Read http://localhost:1/b', { tool: 'fetch', input: { url: 'http://localhost:1/b' } }],
  [
    'Post to https://example.org/',
    { tool: 'fetch', input: { url: 'https://example.org/', method: 'POST', body: 'Hello from Forkpoint' } },
  ],
  ['Run: [1, 2].length', { tool: 'javascript', input: { code: '[1, 2].length' } }],
  ['```js\n1 + 1\n```', { tool: 'javascript', input: { code: '1 + 1' } }],
])('“%s” is understood', (asked, call) => {
  expect(calls(asked)).toEqual(call)
})

it.each([
  'Tell me 3 stories',
  'What is 5 squared?',
  'I read books',
  'I have read the 3 musketeers in 2 minutes',
  'Do you remember me?',
  'How long is it?',
  'I run every day',
  'Of note: nothing',
  'Did they fetch water?',
  'Hello',
])('“%s” calls for nothing', (asked) => {
  expect(calls(asked)).toBeUndefined()
})

it('tells a story to whoever asks for one, and says what it is to everybody else', () => {
  for (const asked of ['Tell me a story', 'Tell me 3 stories', 'A long answer'])
    expect(planFor(asked)([]).text).toMatch(/^The keeper of the lighthouse/)
  for (const asked of ['What is 5 squared?', 'I read books'])
    expect(planFor(asked)([]).text).toMatch(/^I am a script/)
})
