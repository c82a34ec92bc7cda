import { hex } from '../platform/bytes.ts'
import { holdLock } from '../platform/locks.ts'
import { escapeId } from '../storage/escape-id.ts'
import {
  isCount,
  latestOf,
  NOTHING,
  parseEntry,
  parseJson,
  parseThrownAway,
  surplusOf,
  type Remembered,
  type ThrownAway,
  type WitnessStore,
} from './witness-store.ts'

/** Where a private file is to be found; rejects when there can be none. */
export type Folder = () => Promise<FileSystemDirectoryHandle>

type Change = (now: Remembered) => Partial<Remembered>

/** Of all databases of the site. */
const THROWN_AWAY = 'forkpoint-thrown-away.json'
/** Others that write the same file are waited for so long, in milliseconds: one of them may be frozen. */
const MOST_IN_LINE = 1_000

/**
 * A file private to the origin, read and written whole, a context at a time. The browser puts what was written in its
 * place when the file is closed, and no kill of the browser takes it from there: what `localStorage` and IndexedDB
 * have in common is that they are written behind, or can be lost with all that is beside them.
 */
export function fileStore(name: string, find: Folder): WitnessStore {
  let found: ReturnType<Folder> | undefined
  // Where it is refused it may be given later.
  const folder: Folder = () =>
    (found ??= find().catch((error: unknown) => {
      found = undefined
      throw error
    }))
  let turn: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(async () => {
      const letGo = await holdLock(`forkpoint:witness:${name}`, { signal: AbortSignal.timeout(MOST_IN_LINE) })
      await work().finally(letGo)
    })
    // Where files are refused, nothing is remembered.
    turn = turn.catch(() => {})
    return turn
  }
  const own = (): Promise<string> => fileName(name)
  const read = async (): Promise<Remembered> => {
    const { isSure, value } = await readFile(folder, await own())
    return { ...parse(value), isSure }
  }
  let waiting: { readonly makers: Change[]; readonly done: Promise<void> } | undefined
  /** What is asked for while another change is written goes together: a thousand deletions are a few writes. */
  const change = (make: Change): Promise<void> => {
    if (!waiting) {
      const makers: Change[] = []
      const done = inTurn(async () => {
        waiting = undefined
        const before = await read()
        const after = makers.reduce((now, each) => ({ ...now, ...each(now) }), before)
        const { threads, made, gone } = after
        if (threads === before.threads && made === before.made && gone === before.gone) return
        await writeFile(folder, await own(), { threads: [...threads], made: [...made], gone: [...gone] })
      })
      waiting = { makers, done }
    }
    waiting.makers.push(make)
    return waiting.done
  }
  return {
    async read() {
      await turn
      const [remembered, { value }] = await Promise.all([read(), readFile(folder, THROWN_AWAY)])
      return { ...remembered, ...latestOf(parseThrownAway(value), undefined) }
    },
    markMade: (database) =>
      change(({ made }) => (made.has(database) ? {} : { made: new Map([...made, [database, Date.now()]]) })),
    put: (entries) => change(({ threads }) => ({ threads: new Map([...threads, ...entries]) })),
    drop(dropped, database) {
      const names = new Set(dropped)
      return change(({ threads }) => ({
        threads: new Map(
          [...threads].filter(([thread, entry]) => !names.has(thread) || entry.database !== database),
        ),
      }))
    },
    markGone: (databases) =>
      change(({ made, gone }) => {
        const marked = new Map([...gone, ...[...databases].map((each) => [each, Date.now()] as const)])
        for (const old of surplusOf(marked)) marked.delete(old)
        return { made: new Map([...made].filter(([each]) => !marked.has(each))), gone: marked }
      }),
    unmarkGone: (database) =>
      change(({ gone }) => ({ gone: new Map([...gone].filter(([each]) => each !== database)) })),
    noteThrownAway: (note: ThrownAway) => inTurn(() => writeFile(folder, THROWN_AWAY, note)),
  }
}

/** What cannot be read is nothing; of a file that is not there, that is certain. */
async function readFile(folder: Folder, name: string): Promise<{ isSure: boolean; value?: unknown }> {
  try {
    const file = await (await (await folder()).getFileHandle(name)).getFile()
    const value = parseJson(await file.text())
    return { isSure: value !== undefined, value }
  } catch (error) {
    return { isSure: (error as { name?: unknown } | null)?.name === 'NotFoundError' }
  }
}

async function writeFile(folder: Folder, name: string, content: object): Promise<void> {
  const handle = await (await folder()).getFileHandle(name, { create: true })
  const writing = await handle.createWritable()
  await writing.write(JSON.stringify(content))
  await writing.close()
}

function parse(value: unknown): Omit<Remembered, 'isSure'> {
  const { threads, made, gone } = (value ?? NOTHING) as Partial<Record<keyof Remembered, unknown>>
  return {
    threads: new Map(
      pairsOf(threads).flatMap(([thread, each]) => {
        const entry = parseEntry(each)
        return entry ? [[thread, entry] as const] : []
      }),
    ),
    made: timesOf(made),
    gone: timesOf(gone),
  }
}

const timesOf = (value: unknown): Map<string, number> =>
  new Map(pairsOf(value).flatMap(([id, since]) => (isCount(since) ? [[id, since] as const] : [])))

const pairsOf = (value: unknown): [string, unknown][] =>
  (Array.isArray(value) ? value : []).filter(
    (pair: unknown): pair is [string, unknown] => Array.isArray(pair) && typeof pair[0] === 'string',
  )

/** Names may be longer than those of files. Escaped, as UTF-8 takes all halves of characters for the same one. */
async function fileName(name: string): Promise<string> {
  const text = new TextEncoder().encode(escapeId(name))
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `forkpoint-heads-${hex(sum)}.json`
}
