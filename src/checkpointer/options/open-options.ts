/** What may be given to `openCheckpointer` by callers without types. */
import { invalid, itemsOf, reading } from './options.ts'

const MOST_SHOWN = 40

export function checkIsObject(options: unknown): void {
  if (typeof options === 'object' && options !== null) return
  const name = typeof options === 'string' ? options.slice(0, MOST_SHOWN) : 'my-app'
  throw invalid(
    'options',
    `an object: openCheckpointer({ name: '${name}' })`,
    'What openCheckpointer is given',
  )
}

export function checkStorage(storage: unknown): void {
  if (storage === undefined || isMethod('storage', storage, 'commit')) return
  const hint =
    typeof storage === 'function' ? 'what that function gives; call it: memoryStorage()' : STORAGE_WANTED
  throw invalid('storage', hint)
}

const STORAGE_WANTED = 'a storage, such as memoryStorage() or sqliteStorage(nodeSqlite(database))'

export function checkHost(host: unknown): void {
  if (host !== undefined && !isMethod('host', host, 'save')) throw invalid('host', 'a host')
}

/** The rest of what a type must be is asked for by the table of types. */
export function checkTypes(types: unknown): void {
  if (types === undefined) return
  itemsOf('types', types, 'a list of types').forEach((type, i) => {
    if (typeof type !== 'object' || type === null)
      throw invalid(`types[${i}]`, 'an object with a name, and a class or three functions')
  })
}

const isMethod = (path: string, value: unknown, name: string): boolean =>
  reading(path, () => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
