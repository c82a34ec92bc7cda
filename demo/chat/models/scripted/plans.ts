import type { Call, ToolMessage } from '../../agent/chat.ts'
import { about, story } from './texts.ts'

/** What is said next, and what is called for then. */
interface Turn {
  readonly text: string
  readonly call?: Omit<Call, 'id'>
}

/** By what the tools have come to so far. */
type Plan = (results: readonly ToolMessage[]) => Turn

type PlanMaker = (match: RegExpExecArray, asked: string) => Plan

/** The first that fits is taken. Each wants a whole phrase of its own: many a word stands in other talk too. */
const PLANS: readonly (readonly [pattern: RegExp, plan: PlanMaker])[] = [
  [/\btour\b|show me everything/i, () => tour],
  [/^(?:please )?(?:remember (?:that )?|note(?:[:,] | that ))(.+)/is, ([, what = '']) => keepNote(what)],
  [/\b(?:my|the|list) notes\b/i, () => listNotes],
  [
    /\b(post to|fetch|read)\s+(https?:\/\/\S*[^\s.,;!?)])/i,
    ([, verb = '', url = '']) => fetching(url, /post/i.test(verb)),
  ],
  [
    /^(?=.*\b(?:wait|timer|alarm|sleep)\b).*?\b(\d+)[\s-]*(s|secs?|seconds?|m|mins?|minutes?)\b/is,
    ([, count, unit = 's']) => timing(Number(count) * (/^m/i.test(unit) ? 60 : 1)),
  ],
  [
    /```(?:\w*\n)?([\s\S]+?)```|^(?:please )?run[:,] (.+)/is,
    ([, block, code = block]) => running(code ?? ''),
  ],
  [/\bfirst (\d+) primes\b/i, ([, count]) => running(primes(Number(count)))],
  [/\b(?:long answer|stor(?:y|ies)|lighthouse)\b/i, () => () => ({ text: story })],
  [/[-+(]?\d[\d\s.,]*(?:[-+*/^%×÷−]|\bof\b)(?:[\d\s.,()+*/^%×÷−-]|\bof\b)*/, ([found]) => calculating(found)],
  [/\b(sqrt|min|max|abs|round|floor|ceil|ln|log)\(.*\)/i, ([found]) => calculating(found)],
]

export function planFor(asked: string): Plan {
  for (const [pattern, make] of PLANS) {
    const match = pattern.exec(asked)
    if (match) return make(match, asked)
  }
  return () => ({ text: about(asked) })
}

/** One call, and a word about what came of it. */
const once =
  (before: string, call: Omit<Call, 'id'>, after: (result: string) => string): Plan =>
  ([result]) => {
    if (!result) return { text: before, call }
    return { text: result.isError ? `That did not work: ${result.text}` : after(result.text) }
  }

function calculating(found: string): Plan {
  const expression = found
    .trim()
    .replace(/\bof\b/i, '*')
    .replace(/[?.,\s]+$/, '')
  return once('Let me work that out.', { tool: 'calculator', input: { expression } }, (text) => {
    const [, value = text] = text.split(' = ')
    return `It comes to **${value}**.`
  })
}

const keepNote = (what: string): Plan =>
  once(
    'I will keep that.',
    { tool: 'notes', input: { action: 'add', text: what.trim().replace(/[.!]$/, '') } },
    (list) =>
      `Noted. It is kept with this conversation, and a branch has notes of its own:\n\n${short(list)}`,
  )

const listNotes: Plan = once('Let me look.', { tool: 'notes', input: { action: 'list' } }, short)

const fetching = (url: string, isPost: boolean): Plan =>
  once(
    'I need to ask you first, as that leaves this page.',
    { tool: 'fetch', input: { url, ...(isPost ? { method: 'POST', body: 'Hello from Forkpoint' } : {}) } },
    (text) => `It answered:\n\n\`\`\`\n${short(text)}\n\`\`\``,
  )

const timing = (seconds: number): Plan =>
  once(
    `I set a timer. Reload the page meanwhile, or close it: the time goes on.`,
    { tool: 'timer', input: { seconds } },
    (text) => text,
  )

const running = (code: string): Plan =>
  once(
    'I run that in a sandbox.',
    { tool: 'javascript', input: { code: code.trim() } },
    (text) => `It gave:\n\n\`\`\`\n${text}\n\`\`\``,
  )

const primes = (count: number): string => `const found = []
for (let n = 2; found.length < ${Math.min(count, 1000)}; n++)
  if (found.every((p) => n % p !== 0)) found.push(n)
return found.join(', ')`

/** Several tools, one after the other, each a checkpoint. */
const tour: Plan = (results) => {
  const turns: readonly Turn[] = [
    {
      text: 'Four small steps, each of them a checkpoint. First some arithmetic.',
      call: { tool: 'calculator', input: { expression: '17% * 4250' } },
    },
    {
      text: 'Now I run some code where it can do no harm.',
      call: { tool: 'javascript', input: { code: primes(12) } },
    },
    {
      text: 'I make a note of it.',
      call: { tool: 'notes', input: { action: 'add', text: 'The twelfth prime is 37' } },
    },
    {
      text: 'And I wait for three seconds: a good moment to reload.',
      call: { tool: 'timer', input: { seconds: 3 } },
    },
    {
      text: 'That was all. Open the inspector to see every step, go back to any of them, or edit your message to branch off.',
    },
  ]
  return turns[Math.min(results.length, turns.length - 1)] ?? { text: '' }
}

/** So that it does not read out books. */
function short(text: string): string {
  return text.length > 600 ? `${text.slice(0, 599)}…` : text
}
