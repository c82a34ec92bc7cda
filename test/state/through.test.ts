import { expect, it } from 'vitest'
import { through } from '../../src/platform/through.ts'

const MOST = 8 * 1024

async function* once(bytes: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(bytes)
}

/** How many bytes went in at a time through a stream that makes so many of each, and how many came out. */
async function sizesThrough(times: number, bytes: number): Promise<{ sizes: number[]; out: number }> {
  const sizes: number[] = []
  const pair = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      sizes.push(chunk.length)
      for (let left = chunk.length * times; left > 0; left -= 64 * 1024)
        controller.enqueue(new Uint8Array(Math.min(left, 64 * 1024)))
    },
  })
  let out = 0
  for await (const piece of through(once(bytes), pair as Parameters<typeof through>[1], MOST))
    out += piece.length
  return { sizes, out }
}

it('little goes in at a time where much comes of it', async () => {
  const { sizes, out } = await sizesThrough(1_000, 20_000)
  expect(out).toBe(20_000_000)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_048)
})

it('as much as may goes in where it comes to little', async () => {
  const { sizes, out } = await sizesThrough(1, 200_000)
  expect(out).toBe(200_000)
  expect(sizes.filter((size) => size === MOST).length).toBeGreaterThan(20)
})
