import { expect, it } from 'vitest'
import { newState } from '../agent-loop.ts'
import { Answer, asItComes, EVERY } from './answer.ts'

const words = ['one', ' two', ' three']
const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function* paced(count: number, ms: number): AsyncGenerator<string> {
  for (let i = 0; i < count; i++) {
    await rest(ms)
    yield 'word'
  }
}

it('an answer has what has come of it, and each of its steps is a state of its own', async () => {
  const before = newState()
  const answer = new Answer('a', 3, before, words)
  const steps = []
  for await (const _ of answer.tokens()) steps.push(answer.step())
  expect(steps.map(({ state }) => state.messages[0]?.content)).toEqual(['one', 'one two', 'one two three'])
  expect(steps.map(({ seq, state }) => [seq, state.step])).toEqual(Array(3).fill([3, 3]))
  expect(before.messages).toEqual([])
})

it('what comes in is written at once, then every 50 ms, and never beside itself', async () => {
  const began: number[] = []
  let writing = 0
  await asItComes(paced(30, 10), async () => {
    began.push(performance.now())
    expect(++writing).toBe(1)
    await rest(80)
    writing--
  })
  expect(writing).toBe(0)
  expect(began.length).toBeGreaterThan(1)
  for (const [i, at] of began.slice(1).entries()) expect(at - (began[i] ?? at)).toBeGreaterThan(EVERY)
})

it('a write that fails is told once all has come', async () => {
  let passed = 0
  async function* counted(): AsyncGenerator<string> {
    for await (const word of paced(5, 1)) {
      passed++
      yield word
    }
  }
  await expect(asItComes(counted(), () => Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(passed).toBe(5)
})
