/** Of a `FileHandle` of `node:fs/promises`, what is used. */
export interface OpenFile {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  stat(): Promise<{ readonly size: number }>
  truncate(length: number): Promise<void>
  sync(): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
}

/** Of `node:fs/promises`, what is used: of Node's, Deno's or Bun's. */
export interface FileSystem {
  open(path: string, flags: 'r' | 'r+' | 'w' | 'wx'): Promise<OpenFile>
  readFile(path: string, encoding: 'utf8'): Promise<string>
  readlink(path: string): Promise<string>
  readdir(path: string): Promise<string[]>
  stat(path: string): Promise<{ readonly size: number; readonly mtimeMs: number; readonly ino: number }>
  utimes(path: string, atime: Date, mtime: Date): Promise<void>
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

export const isNoEntry = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** What is there; nothing when it is not. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isNoEntry(error)) return undefined
    throw error
  }
}

/** As many bytes as there are, up to a length. */
export async function readAt(file: OpenFile, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let end = 0
  while (end < length) {
    const { bytesRead } = await file.read(bytes, end, length - end, at + end)
    if (bytesRead === 0) break
    end += bytesRead
  }
  return bytes.subarray(0, end)
}

export async function writeAt(file: OpenFile, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

/** With those above it; that it is there is on the disk then. */
export async function makeFolder(fs: FileSystem, folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true })
  await syncFolder(fs, `${folder}/..`)
}

/** That a file is there, or is not any more, is on the disk. Windows has no such thing, and needs none. */
export async function syncFolder(fs: FileSystem, path: string): Promise<void> {
  let folder: OpenFile | undefined
  try {
    folder = await fs.open(path, 'r')
    await folder.sync()
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'EBADF'].includes(String(codeOf(error)))) throw error
  } finally {
    await folder?.close()
  }
}
