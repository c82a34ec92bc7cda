/**
 * simple-agents: a checkpoint a run, with the workflow, the step, the node to go on with and the scope; save,
 * load and delete by the run's id. A run is a thread here, or some checkpoints of one.
 */
import 'fake-indexeddb/auto'
import type { Checkpoint, Checkpointer } from 'forkpoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { collect, newName, opened, seqs, seedStores, threadIds } from './stores.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

interface WorkflowRun {
  readonly runId: string
  readonly workflow: string
  readonly step: number
  readonly nextNode: string
  readonly scope: Json
}

/** Their three calls, on ours. */
const runsOf = (checkpointer: Checkpointer) => ({
  save: ({ runId, workflow, step, nextNode, scope }: WorkflowRun) =>
    checkpointer.thread<Json>(runId).save(scope, { runId, workflow, step, next: [nextNode] }),
  async load(runId: string): Promise<WorkflowRun | undefined> {
    const found = await checkpointer.thread<Json>(runId).load()
    if (!found) return undefined
    const { workflow = '', step = 0, next = [], state } = found
    return { runId: found.runId ?? '', workflow, step, nextNode: next[0] ?? '', scope: state }
  },
  delete: (runId: string) => checkpointer.thread(runId).delete(),
})

const run: WorkflowRun = {
  runId: 'run-1',
  workflow: 'wf',
  step: 3,
  nextNode: 'tool',
  scope: { input: { k: 'v' } },
}

describe.each(seedStores)('simple-agents over $kind', ({ open }) => {
  it('saves a run, gives it back equal, and deletes it', async () => {
    const checkpointer = await open()
    const runs = runsOf(checkpointer)
    await runs.save(run)
    expect(await runs.load('run-1')).toEqual(run)
    expect(await runs.delete('run-1')).toBe(true)
    expect(await runs.load('run-1')).toBeUndefined()
    expect(await threadIds(checkpointer)).toEqual([])
    expect(await checkpointer.usage()).toMatchObject({ threads: 0, checkpoints: 0 })
  })

  it('has nothing for a run that was never saved, and deleting it is no error', async () => {
    const runs = runsOf(await open())
    expect(await runs.load('run-1')).toBeUndefined()
    expect(await runs.delete('run-1')).toBe(false)
  })

  it('loads the step reached last; the steps before can be read too', async () => {
    const checkpointer = await open()
    const runs = runsOf(checkpointer)
    for (let step = 0; step < 4; step++)
      await runs.save({ ...run, step, nextNode: `node-${step + 1}`, scope: { step } })
    expect(await runs.load('run-1')).toEqual({ ...run, step: 3, nextNode: 'node-4', scope: { step: 3 } })

    const second = await checkpointer.thread<Json>('run-1').load({ step: 1 })
    expectTypeOf(second).toEqualTypeOf<Checkpoint<Json> | undefined>()
    expect(second).toMatchObject({ next: ['node-2'], state: { step: 1 } })
  })

  it.each<{ scope: Json }>([
    { scope: null },
    { scope: true },
    { scope: 0 },
    { scope: 'text' },
    { scope: '' },
    { scope: [] },
    { scope: {} },
    { scope: { nodes: { search: { output: [1, 'two', null, { three: [[]] }] } }, input: {} } },
  ])('takes any JSON value as a scope: $scope', async ({ scope }) => {
    const runs = runsOf(await open())
    await runs.save({ ...run, scope })
    expect(await runs.load('run-1')).toEqual({ ...run, scope })
    await runs.save({ ...run, scope: { other: 1 } })
    await runs.save({ ...run, scope })
    expect(await runs.load('run-1')).toEqual({ ...run, scope })
  })

  it('keeps runs apart, whatever their ids look like as names of files', async () => {
    const checkpointer = await open()
    const runs = runsOf(checkpointer)
    const ids = [
      'run',
      'run.json',
      'run.json.json',
      '../run',
      '/etc/run',
      'a/b',
      'a\\b',
      'CON',
      'RUN',
      '.',
      '..',
    ]
    for (const [step, runId] of ids.entries()) await runs.save({ ...run, runId, step })
    for (const [step, runId] of ids.entries()) expect(await runs.load(runId)).toEqual({ ...run, runId, step })
    expect(await threadIds(checkpointer)).toEqual(ids.toSorted())
    await runs.delete('run')
    expect(await runs.load('run')).toBeUndefined()
    expect(await runs.load('run.json')).toMatchObject({ runId: 'run.json' })
  })

  it('starts a run over after it was deleted', async () => {
    const runs = runsOf(await open())
    await runs.save({ ...run, scope: { big: 'x'.repeat(1000), n: 1 } })
    await runs.delete('run-1')
    await runs.save({ ...run, step: 0, scope: { n: 2 } })
    expect(await runs.load('run-1')).toEqual({ ...run, step: 0, scope: { n: 2 } })
  })

  it('resumes with the node that is next', async () => {
    const checkpointer = await open()
    const scope = { done: ['fetch'] }
    await runsOf(checkpointer).save({ ...run, step: 1, nextNode: 'summarise', scope })

    const thread = checkpointer.thread<typeof scope>('run-1')
    const { state, next = [], step = 0 } = (await thread.load()) ?? expect.unreachable()
    for (const node of next) state.done.push(node)
    await thread.save(state, { runId: 'run-1', workflow: 'wf', step: step + 1, node: 'summarise', next: [] })
    expect(await thread.load()).toMatchObject({ state: { done: ['fetch', 'summarise'] }, step: 2, next: [] })
  })

  it('deletes by run where a thread holds several, in all its namespaces', async () => {
    const checkpointer = await open()
    const thread = checkpointer.thread<{ n: number }>('chat')
    const lane = checkpointer.thread<{ n: number }>('chat', { namespace: 'tool' })
    for (const [n, runId] of ['run-1', 'run-2', 'run-1', 'run-3'].entries())
      await thread.save({ n }, { runId, workflow: 'wf' })
    await lane.save({ n: 10 }, { runId: 'run-1' })
    await lane.save({ n: 11 }, { runId: 'run-2' })

    const { removed, kept } = await thread.deleteRun('run-1')
    expect(removed).toHaveLength(3)
    expect(removed).toEqual(
      expect.arrayContaining([
        { namespace: '', seq: 1 },
        { namespace: '', seq: 3 },
        { namespace: 'tool', seq: 1 },
      ]),
    )
    expect(kept).toBe(3)
    expect(await seqs(thread.history())).toEqual([4, 2])
    const left = await collect(thread.history({ states: true, order: 'oldest' }))
    expect(left.map(({ state, runId }) => [state.n, runId])).toEqual([
      [1, 'run-2'],
      [3, 'run-3'],
    ])
    expect((await lane.load())?.state).toEqual({ n: 11 })
  })
})

it('simple-agents: a run is there again after the program was closed and opened', async () => {
  const name = newName()
  const before = await opened({ name, worker: false })
  await runsOf(before).save(run)
  await before.close()
  expect(await runsOf(await opened({ name, worker: false })).load('run-1')).toEqual(run)
})
