import { CheckpointerError } from '../errors.ts'
import { checkGiven } from './adapter/given.ts'
import { FileStorage } from './files/file-storage.ts'
import type { FileSystem } from './files/file-system.ts'
import type { Storage } from './storage.ts'

export type { FileSystem, OpenFile } from './files/file-system.ts'

export interface FilesStorageOptions {
  /**
   * Hears of a log that did not end as it should, and was mended: `CORRUPT` when what was cut off had not been acknowledged,
   * `DATA_LOSS` when it may have been. Without it, `console.warn` does.
   */
  readonly onWarning?: (warning: CheckpointerError) => void
}

/**
 * Keeps everything in a folder, a log for each thread and its forks: `filesStorage(fs, 'threads')`, with `node:fs/promises`
 * for `fs`.
 */
export function filesStorage(fs: FileSystem, folder: string, options: FilesStorageOptions = {}): Storage {
  const { onWarning = (warning) => console.warn(warning.message) } = options
  checkGiven(
    'filesStorage',
    fs,
    ['open', 'rename', 'mkdir'],
    "node:fs/promises, and a folder: filesStorage(fs, 'threads')",
  )
  if (typeof (folder as unknown) !== 'string' || folder === '')
    throw new CheckpointerError('INVALID', 'The folder of a filesStorage must be a path.', { path: 'folder' })
  return new FileStorage({ fs, folder }, onWarning)
}
