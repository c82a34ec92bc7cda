import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '../../../src/storage/storage.ts'
import {
  all,
  beside,
  copied,
  damage,
  lengthOf,
  open,
  stateOf,
  theFile,
  went,
  type Opened,
  type Opening,
  type State,
} from './call-ground.ts'

type Run = (on: Opened) => Promise<unknown>

export interface Ready {
  readonly run: Run
  /** Stores that it changes besides. */
  readonly others?: readonly Storage[]
}

export interface Call {
  /** What is there besides, and what is called then. Of two stores, the first is the one that fails. */
  readonly ready: (storage: Storage) => Promise<Ready>
  readonly open?: Opening
  /** What it does one after the other, behind its caller's back. */
  readonly stages?: readonly Run[]
  /** It is made of several acts. Cut off between two of them it leaves what is whole, and goes on when it is called again. */
  readonly goesOn?: true
  /** What cannot be written is kept, and tried again by `close`. */
  readonly isKept?: true
}

const simply = (run: Run): Call => ({ ready: async () => ({ run }) })

/** Everything that changes or reads the store, each once. */
export const CALLS: Readonly<Record<string, Call>> = {
  save: simply(({ checkpointer }) => checkpointer.thread('a').save(stateOf(99))),
  'a large save': simply(({ checkpointer }) => checkpointer.thread('a').save({ large: 'x'.repeat(150_000) })),
  'a first save': simply(({ checkpointer }) => checkpointer.thread('new').save(stateOf(1))),
  'a first save in a namespace': simply(({ checkpointer }) =>
    checkpointer.thread('a', { namespace: 'new' }).save(stateOf(1)),
  ),
  'saves written behind': {
    open: { durability: 'async' },
    isKept: true,
    ready: async () => ({
      async run({ checkpointer }) {
        const thread = checkpointer.thread<State>('a')
        await Promise.all([5, 6, 7].map((n) => thread.save(stateOf(n))))
        await checkpointer.flush()
      },
    }),
  },
  'a save that lets others go': {
    open: { keepLast: 3 },
    stages: [saved, async (on) => (await roomMade(on), await saved(on))],
    ready: async (storage) => {
      const { checkpointer } = await open(storage)
      for (let n = 9; n <= 24; n++) await checkpointer.thread('a').save(stateOf(n))
      await checkpointer.close()
      return {
        async run(on) {
          await saved(on)
          // It is done, or has failed behind our backs.
          for (let waited = 0; on.warnings.length === 0 && waited < 500; waited++) {
            if ((await lengthOf(storage, 'a')) === 3) return
            await sleep(4)
          }
        },
      }
    },
  },
  load: simply(({ checkpointer }) => checkpointer.thread('a').load(3)),
  history: simply(({ checkpointer }) => all(checkpointer.thread('a').history({ states: true }))),
  fork: simply(({ checkpointer }) => checkpointer.thread('a').fork({ at: 5, as: 'twin' })),
  'fork with an edit': simply(({ checkpointer }) =>
    checkpointer.thread<State>('a').fork({ at: 5, as: 'twin', edit: (draft) => void draft.words.push('!') }),
  ),
  copy: simply(({ checkpointer }) => checkpointer.thread('a').copy('copied')),
  prune: simply(({ checkpointer }) => checkpointer.thread('a').prune({ keepLast: 3 })),
  'prune an origin': simply(({ checkpointer }) =>
    checkpointer.thread('a').prune({ keepLast: 1, ancestors: 'drop' }),
  ),
  'delete checkpoints': simply(({ checkpointer }) => checkpointer.thread('a').deleteCheckpoints([2, 4, 6])),
  'delete a run': simply(({ checkpointer }) => checkpointer.thread('a').deleteRun('run 1')),
  delete: simply(({ checkpointer }) => checkpointer.thread('a').delete()),
  'put writes': simply(({ checkpointer }) =>
    checkpointer.thread('a').putWrites(3, 'task', [
      { channel: 'c', value: 1 },
      { channel: 'd', value: 'y'.repeat(70_000) },
    ]),
  ),
  'drop writes': simply(({ host }) =>
    host.dropWrites({ thread: 'a', namespace: '', checkpoint: 3, tasks: ['earlier'], from: 0 }),
  ),
  'take a lease': simply(({ host }) => host.takeLease({ thread: 'a', key: 'claim' })),
  'keep a lease': {
    ready: withLease((lease) => async ({ host }) => {
      await host.keepLease({ thread: 'a', lease, every: 60_000, times: 1 })
    }),
  },
  'drop a lease': {
    ready: withLease(
      (lease) =>
        ({ host }) =>
          host.dropLease({ thread: 'a', lease }),
    ),
  },
  'choose a head': {
    ready: async (storage) => {
      await went(storage, await copied(storage))
      return {
        async run({ checkpointer }) {
          const thread = checkpointer.thread('a')
          const [, other] = await thread.heads()
          if (!other) throw new Error('There is one head only.')
          await thread.chooseHead(other.id)
        },
      }
    },
  },
  'sync with another': {
    goesOn: true,
    ready: async (storage) => {
      const other = await beside(storage)
      return {
        others: [other],
        async run({ checkpointer }) {
          const remote = await open(other)
          await checkpointer.sync(remote.checkpointer)
          await remote.checkpointer.close()
        },
      }
    },
  },
  'be synced by another': {
    goesOn: true,
    ready: async (storage) => {
      const other = await beside(storage)
      return {
        others: [other],
        async run({ checkpointer }) {
          const driver = await open(other)
          await driver.checkpointer.sync(checkpointer)
          await driver.checkpointer.close()
        },
      }
    },
  },
  'record a loss': simply(({ host }) =>
    host.recordLoss({
      at: 1,
      message: 'It is gone.',
      loss: {
        expected: { database: 'other', threads: 1 },
        found: { database: 'this', threads: 0 },
        heads: [{ thread: 'lost', namespace: '', expected: 3 }],
      },
    }),
  ),
  repair: {
    goesOn: true,
    ready: async (storage) => {
      await damage(storage)
      return { run: ({ checkpointer }) => checkpointer.verify({ repair: true }) }
    },
  },
  'a plan of a repair': {
    ready: async (storage) => {
      await damage(storage)
      return { run: ({ checkpointer }) => checkpointer.verify({ repair: 'plan' }) }
    },
  },
  threads: simply(({ checkpointer }) => all(checkpointer.threads())),
  export: simply(({ checkpointer }) => all(checkpointer.export())),
  import: simply(async ({ checkpointer }) => checkpointer.import(await theFile(), { onConflict: 'rename' })),
  'import without what is there': simply(async ({ checkpointer }) =>
    checkpointer.import(await theFile(), { onConflict: 'skip' }),
  ),
  'an import that is given up': simply(async ({ checkpointer }) => {
    const stopping = new AbortController()
    const reason = new Error('enough')
    await checkpointer
      .import(await theFile(), {
        onConflict: 'rename',
        signal: stopping.signal,
        onProgress: () => stopping.abort(reason),
      })
      .catch((error: unknown) => {
        if (error !== reason) throw error
      })
  }),
  rest: simply(({ host }) => host.rest()),
  settle: simply(({ host }) => host.settle({ sessions: [], inOrder: true })),
  usage: simply(({ checkpointer }) => checkpointer.usage()),
  verify: simply(({ checkpointer }) => checkpointer.verify()),
  destroy: simply(({ checkpointer }) => checkpointer.destroy()),
}

async function saved({ checkpointer }: Opened): Promise<void> {
  await checkpointer.thread('a').save(stateOf(99))
}

/** As a save does that finds no room, and may let others go. */
async function roomMade({ checkpointer }: Opened): Promise<void> {
  for (const { id } of await all(checkpointer.threads()))
    await checkpointer.thread(id).prune({ keepLast: 3, keepLabelled: false })
}

/** Who has the lease of `a`, and what he calls. */
function withLease(run: (lease: string) => Run): Call['ready'] {
  return async (storage) => {
    const { checkpointer, host } = await open(storage)
    const taken = await host.takeLease({ thread: 'a', key: 'claim' })
    await checkpointer.close()
    if (!('lease' in taken)) throw new Error('Another has it.')
    return { run: run(taken.lease) }
  }
}
