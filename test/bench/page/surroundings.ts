import { HANDED, takeHanded, type Handed } from './handed.ts'
import { pause } from './timing.ts'

/** How long answers are waited for. */
const PATIENCE = 300

/** Of the page and its workers together. */
export async function askHanded(): Promise<Handed> {
  const answers = [takeHanded()]
  const channel = new BroadcastChannel(HANDED)
  channel.onmessage = ({ data }) => void answers.push(data as Handed)
  channel.postMessage('ask')
  await pause(PATIENCE)
  channel.close()
  const sum = (of: keyof Handed): number => answers.reduce((all, each) => all + each[of], 0)
  return { transactions: sum('transactions'), rows: sum('rows'), bytes: sum('bytes') }
}

interface Measuring {
  measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>
}

/** After a garbage collection. Not every browser tells. */
export async function memory(): Promise<number | undefined> {
  return (await (performance as Performance & Measuring).measureUserAgentSpecificMemory?.())?.bytes
}

/** Bytes of the private files of this origin. */
export async function files(): Promise<number> {
  return weight(await navigator.storage.getDirectory())
}

async function weight(folder: FileSystemDirectoryHandle): Promise<number> {
  let bytes = 0
  for await (const entry of folder.values()) {
    if (entry.kind === 'directory') bytes += await weight(entry as FileSystemDirectoryHandle)
    else bytes += (await (entry as FileSystemFileHandle).getFile()).size
  }
  return bytes
}
