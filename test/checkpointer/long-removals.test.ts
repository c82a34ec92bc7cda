import { expect, it } from 'vitest'
import { deleteCheckpoints, prune } from '../../src/checkpointer/removals/removals.ts'
import type { Host, RemovedReply } from '../../src/operations/host.ts'
import { isRequest } from '../../src/remote/requests.ts'

const MANY = 102_000
const place = { thread: 't', namespace: '' }
const seqs = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

/** A host that holds these and nothing else, and refuses what could not come over a wire. */
function holding(all: readonly number[]) {
  const there = new Set(all)
  const calls: number[] = []
  const told = (removed: readonly number[], left: number): RemovedReply => ({
    removed: removed.map((seq) => ({ namespace: '', seq })),
    bytes: 0,
    kept: there.size,
    left,
  })
  const host: Partial<Host> = {
    prune: async () => told(all, all.length),
    async deleteCheckpoints(request) {
      expect(isRequest('deleteCheckpoints', request)).toBe(true)
      calls.push(request.ids.length)
      // Ids of text are the seqs themselves here.
      const found = request.ids.map(Number).filter((seq) => there.has(seq))
      const gone = found.slice(0, request.most)
      for (const seq of gone) there.delete(seq)
      return told(gone, found.length - gone.length)
    },
  }
  return { host: host as Host, there, calls }
}

const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0)

it('more checkpoints are pruned than one request may name, and each is named a few times', async () => {
  const { host, there, calls } = holding(seqs(MANY))
  const request = { ...place, keepLast: 1, ancestors: 'keep', dryRun: false } as const
  const { removed, kept } = await prune(host, request, {})
  expect([removed.length, kept, there.size]).toEqual([MANY, 0, 0])
  expect(sum(calls)).toBeLessThan(5 * MANY)
})

it('those that are named are deleted behind any number that are not there, by seq or id', async () => {
  const { host, there } = holding([MANY - 1, MANY])
  const ids = [...seqs(MANY - 1), String(MANY)]
  const told: number[] = []
  const { removed } = await deleteCheckpoints(host, place, ids, { onProgress: (n) => void told.push(n) })
  expect([removed.length, there.size, told.at(-1)]).toEqual([2, 0, 2])
})

it('what is held by others is not asked for again and again', async () => {
  const held: RemovedReply = { removed: [], bytes: 0, kept: 5, left: 5 }
  let calls = 0
  const host: Partial<Host> = {
    async deleteCheckpoints() {
      calls++
      return held
    },
  }
  expect(await deleteCheckpoints(host as Host, place, seqs(5), {})).toEqual({
    removed: [],
    bytes: 0,
    kept: 5,
  })
  expect(calls).toBe(1)
})
