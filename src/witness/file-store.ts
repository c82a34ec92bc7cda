import {
  isCount,
  NOTHING,
  parseEntry,
  parseJson,
  surplusOf,
  type Remembered,
  type WitnessStore,
} from './witness-store.ts'

/** Where a private file is to be found; rejects when there can be none. */
export type Folder = () => Promise<FileSystemDirectoryHandle>

/**
 * The witness of workers and service workers, which have no `localStorage`: a file private to the origin, read and
 * written whole. The browser puts what was written in its place when the file is closed. Of two contexts that write
 * at once one is lost, which does no harm.
 */
export function fileStore(
  name: string,
  folder: Folder,
): WitnessStore & { readonly isThere: () => Promise<boolean> } {
  const handle = async (create: boolean): Promise<FileSystemFileHandle> =>
    (await folder()).getFileHandle(await fileName(name), { create })
  const read = async (): Promise<Remembered> => {
    try {
      const file = await (await handle(false)).getFile()
      return parse(parseJson(await file.text()))
    } catch {
      return NOTHING
    }
  }
  let turn: Promise<void> = Promise.resolve()
  const change = (make: (now: Remembered) => Remembered): Promise<void> => {
    turn = turn.then(async () => {
      const { threads, gone } = make(await read())
      const writing = await (await handle(true)).createWritable()
      await writing.write(JSON.stringify({ threads: [...threads], gone: [...gone] }))
      await writing.close()
    })
    // Where files are refused, nothing is remembered.
    turn = turn.catch(() => {})
    return turn
  }
  return {
    read: () => turn.then(read),
    put: (entries) => change(({ threads, gone }) => ({ threads: new Map([...threads, ...entries]), gone })),
    drop(dropped, database) {
      const names = new Set(dropped)
      return change(({ threads, gone }) => ({
        threads: new Map(
          [...threads].filter(([thread, entry]) => !names.has(thread) || entry.database !== database),
        ),
        gone,
      }))
    },
    markGone: (databases) =>
      change(({ threads, gone }) => {
        const marked = new Map([...gone, ...[...databases].map((each) => [each, Date.now()] as const)])
        for (const old of surplusOf(marked)) marked.delete(old)
        return { threads, gone: marked }
      }),
    unmarkGone: (database) =>
      change(({ threads, gone }) => ({
        threads,
        gone: new Map([...gone].filter(([each]) => each !== database)),
      })),
    isThere: () =>
      handle(false).then(
        () => true,
        () => false,
      ),
  }
}

function parse(value: unknown): Remembered {
  const { threads, gone } = (value ?? {}) as Partial<Record<keyof Remembered, unknown>>
  return {
    threads: new Map(
      pairsOf(threads).flatMap(([thread, each]) => {
        const entry = parseEntry(each)
        return entry ? [[thread, entry] as const] : []
      }),
    ),
    gone: new Map(pairsOf(gone).flatMap(([id, since]) => (isCount(since) ? [[id, since] as const] : []))),
  }
}

const pairsOf = (value: unknown): [string, unknown][] =>
  (Array.isArray(value) ? value : []).filter(
    (pair: unknown): pair is [string, unknown] => Array.isArray(pair) && typeof pair[0] === 'string',
  )

/** Names may be longer than those of files. */
async function fileName(name: string): Promise<string> {
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  return `forkpoint-heads-${Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('')}.json`
}
