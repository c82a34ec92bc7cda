import { CheckpointerError, openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { createHost } from '../../../src/operations/create-host.ts'
import { listOf } from '../../../src/testing/checkpointer/ground.ts'

it.each(['was stored', 'was not stored'])(
  'a save of a loop that is sent again has the state of its call, when it %s the first time',
  async (fate) => {
    const host = await createHost({ storage: memoryStorage() })
    let isLost = false
    const save: typeof host.save = async (request) => {
      if (!isLost) return host.save(request)
      isLost = false
      if (fate === 'was stored') await host.save(request)
      throw new CheckpointerError('WORKER_LOST', 'Lost.', { outcome: 'unknown' })
    }
    const checkpointer = await openCheckpointer({ name: 'again', host: { ...host, save } })
    onTestFinished(() => checkpointer.close())
    const thread = checkpointer.thread<{ n: number }>('t')
    const { result } = await thread.run({ initial: { n: 0 } }, async (loop) => {
      loop.state.n = 1
      isLost = true
      const saving = loop.save({ node: 'one' })
      loop.state.n = 2
      await saving
      return 'done'
    })
    expect(result).toBe('done')
    const states = await listOf(thread.history({ states: true, order: 'oldest' }))
    expect(states.map(({ node, state }) => [node, state])).toContainEqual(['one', { n: 1 }])
    expect(states.at(-1)?.state).toEqual({ n: 2 })
  },
)
