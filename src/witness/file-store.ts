import {
  NOTHING,
  parseEntry,
  parseGone,
  parseJson,
  type Entry,
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
      await writing.write(JSON.stringify({ threads: [...threads], gone }))
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
    setGone: (gone) => change(({ threads }) => ({ threads, gone })),
    isThere: () =>
      handle(false).then(
        () => true,
        () => false,
      ),
  }
}

function parse(value: unknown): Remembered {
  const { threads, gone } = (value ?? {}) as Partial<Record<keyof Remembered, unknown>>
  const pairs = (Array.isArray(threads) ? threads : []).flatMap((pair: unknown): [string, Entry][] => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') return []
    const entry = parseEntry(pair[1])
    return entry ? [[pair[0], entry]] : []
  })
  return { threads: new Map(pairs), gone: parseGone(gone) }
}

/** Names may be longer than those of files. */
async function fileName(name: string): Promise<string> {
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  return `forkpoint-heads-${Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('')}.json`
}
