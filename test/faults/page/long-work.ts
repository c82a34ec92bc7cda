/** Work that takes long, done in the page itself, each piece of it by name. */
import { openCheckpointer, type Checkpointer, type CheckpointerEvent, type OpenOptions } from 'forkpoint'

const MB = 1_000_000
const CHECKPOINTS = 2_000

/** What is in the store: one state of 10 MB in two shapes, or many small ones. */
export type Kind = 'many messages' | 'one text' | 'many checkpoints'

/** In this order, as some leave more behind, and some less. The first is what none of them may be: 10 MB, parsed at once. */
export const WORKS = [
  'parse at once',
  'opening',
  'load',
  'history',
  'usage',
  'verify',
  'plan',
  'repair',
  'export',
  'import',
  'packed export',
  'packed import',
  'sync',
  'ceiling',
  'prune',
  'retention',
] as const
export type Work = (typeof WORKS)[number]

interface State {
  readonly n: number
  readonly messages: readonly object[]
}

const messages = () =>
  Array.from({ length: 7_000 }, (_, i) => ({
    role: 'user',
    n: i,
    content: `word${i} `.repeat(150),
    tags: ['a', 'b', { c: i }],
  }))

const first: Readonly<Record<Kind, () => State>> = {
  'many messages': () => ({ n: 0, messages: messages() }),
  'one text': () => ({ n: 0, messages: [{ text: 'word '.repeat((10 * MB) / 5) }] }),
  'many checkpoints': () => ({ n: 0, messages: [] }),
}

const nameOf = (kind: Kind): string => `long ${kind}`

/** By a worker, as it is not this that is measured. */
export async function fillForLongWork(kind: Kind): Promise<void> {
  const checkpointer = await openCheckpointer({ name: nameOf(kind) })
  const thread = checkpointer.thread<State>('t')
  const state = first[kind]()
  const saves = kind === 'many checkpoints' ? CHECKPOINTS : 10
  for (let n = 0; n < saves; n++)
    await thread.save({ n, messages: [...state.messages, { role: 'user', content: `said ${n}` }] })
  await checkpointer.close()
}

/** Between two marks of the page's timeline, with nothing known from before. */
export async function doLongWork(kind: Kind, work: Work): Promise<void> {
  const setting = await settingOf(kind, work)
  // What opening has left to do is done.
  await after(300)
  performance.mark(`begin ${work}`)
  await works[work](setting)
  performance.mark(`end ${work}`)
  await setting.close()
}

/** What a work is done with. */
interface Setting {
  readonly name: string
  readonly checkpointer: Checkpointer
  readonly file: Blob | undefined
  /** Of 10 MB, as it is stored. */
  readonly bytes: Uint8Array | undefined
  /** Another store in the same page. */
  readonly other: Checkpointer | undefined
  /** Resolves when retention has nothing more to let go. */
  readonly settled: Promise<void>
  close(): Promise<void>
}

async function settingOf(kind: Kind, work: Work): Promise<Setting> {
  const [name, elsewhere] = [nameOf(kind), `${nameOf(kind)} elsewhere`]
  // What was saved a moment ago has been idle for long.
  const now = Date.now
  if (work === 'ceiling') Date.now = () => now() + 120_000
  const retention = RETENTION[work]
  const opened = await openHere({
    name: work === 'ceiling' ? elsewhere : work === 'opening' ? 'of no matter' : name,
    ...(retention && { retention }),
  })
  const { checkpointer } = opened
  const other = work === 'sync' ? (await openHere({ name: elsewhere })).checkpointer : undefined
  const file = work.endsWith('import') ? await exported(checkpointer, work.startsWith('packed')) : undefined
  const large = work === 'parse at once' ? JSON.stringify(first['many messages']()) : undefined
  return {
    ...opened,
    name,
    other,
    file,
    bytes: large === undefined ? undefined : new TextEncoder().encode(large),
    async close() {
      Date.now = now
      await checkpointer.close()
      await other?.close()
    },
  }
}

const RETENTION: Readonly<Partial<Record<Work, OpenOptions['retention']>>> = {
  ceiling: { maxBytes: 1_000 },
  retention: { olderThan: 1 },
}

const after = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time))

/** In this page, with an ear for what retention does. */
async function openHere(options: OpenOptions): Promise<Pick<Setting, 'checkpointer' | 'settled'>> {
  let settle: () => void
  const settled = new Promise<void>((resolve) => (settle = resolve))
  let timer: ReturnType<typeof setTimeout> | undefined
  const onEvent = ({ type }: CheckpointerEvent): void => {
    if (type !== 'pruned') return
    clearTimeout(timer)
    timer = setTimeout(settle, QUIET)
  }
  const checkpointer = await openCheckpointer({ ...options, worker: false, onWarning: () => {} })
  checkpointer.subscribe(onEvent)
  return { checkpointer, settled }
}

/** Milliseconds without a bite after which there is none to come. */
const QUIET = 3_000

const works: Readonly<Record<Work, (setting: Setting) => Promise<unknown>>> = {
  'parse at once': async ({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)),
  async opening({ name }) {
    const { checkpointer } = await openHere({ name })
    await after(1_500)
    await checkpointer.close()
  },
  load: ({ checkpointer }) => checkpointer.thread('t').load(),
  async history({ checkpointer }) {
    for await (const _ of checkpointer.thread('t').history({ states: true, limit: 100 })) continue
  },
  usage: ({ checkpointer }) => checkpointer.usage(),
  verify: ({ checkpointer }) => checkpointer.verify(),
  plan: ({ checkpointer }) => checkpointer.verify({ repair: 'plan' }),
  repair: ({ checkpointer }) => checkpointer.verify({ repair: true }),
  export: ({ checkpointer }) => exported(checkpointer, false),
  import: imported,
  'packed export': ({ checkpointer }) => exported(checkpointer, true),
  'packed import': imported,
  sync: async ({ checkpointer, other }) => other && checkpointer.sync(other, { threads: 't' }),
  // A save is what makes it look at all that there is.
  async ceiling({ checkpointer, settled }) {
    await checkpointer.thread('another').save({ n: 1 })
    await settled
  },
  prune: ({ checkpointer }) => checkpointer.thread('t').prune({ keepLast: 1 }),
  retention: ({ settled }) => settled,
}

async function exported(checkpointer: Checkpointer, compress: boolean): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of checkpointer.export('t', { compress }))
    pieces.push(piece as Uint8Array<ArrayBuffer>)
  return new Blob(pieces)
}

async function imported({ checkpointer, file }: Setting): Promise<void> {
  if (file) await checkpointer.import(file, { onConflict: 'rename' })
}
