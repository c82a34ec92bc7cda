import { EventEmitter } from 'node:events'
import { nodeListener, type NodeRequest } from 'forkpoint/server'
import { expect, it, onTestFinished, vi } from 'vitest'

const noBody = async function* () {}
const request: NodeRequest = Object.assign(noBody(), { method: 'GET', url: '/', headers: {} })

/** A response whose other side takes one piece at a time. */
class Slow extends EventEmitter {
  readonly pieces: Uint8Array[] = []
  destroyed = false
  ended = false
  writeHead(): void {}
  write(piece: Uint8Array): boolean {
    this.pieces.push(piece)
    setTimeout(() => this.emit('drain'), 0)
    return false
  }
  end(): void {
    this.ended = true
  }
  destroy(): void {
    this.destroyed = true
  }
}

const inPieces = (count: number): Response => {
  let sent = 0
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ < count) controller.enqueue(Uint8Array.of(sent))
        else controller.close()
      },
    }),
  )
}

it('a stream that is read slowly leaves no listener behind for each of its pieces', async () => {
  const response = new Slow()
  await nodeListener(async () => inPieces(50))(request, response)
  expect(response.pieces.length).toBe(50)
  expect(response.ended).toBe(true)
  expect(response.listenerCount('close')).toBe(1)
  expect(response.listenerCount('drain')).toBe(0)
})

it('a reader that goes while it is waited for ends the stream', async () => {
  const response = new Slow()
  response.write = () => {
    response.destroyed = true
    setTimeout(() => response.emit('close'), 0)
    return false
  }
  let cancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Uint8Array.of(1)),
    cancel: () => void (cancelled = true),
  })
  await nodeListener(async () => new Response(endless))(request, response)
  expect(cancelled).toBe(true)
})

it.each([
  ['a handler that rejects', () => Promise.reject(new Error('no'))],
  [
    'a stream that breaks',
    async () => new Response(new ReadableStream({ pull: () => Promise.reject(new Error('no')) })),
  ],
])('%s ends the connection, not the process, and is told', async (_, handler) => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => told.mockRestore())
  const response = new Slow()
  await nodeListener(handler)(request, response)
  expect([response.destroyed, response.ended, told.mock.calls.map(String)]).toEqual([
    true,
    false,
    ['Error: no'],
  ])
})
