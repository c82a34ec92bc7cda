/** The page of docs/store.md, or one whose store is kept otherwise or not at all, in which somebody says something. */
import { page as inLocalStorage } from '../docs/examples/store/local-storage.ts'
import { page } from '../docs/examples/store/page.ts'
import { page as without } from '../docs/examples/store/without.ts'

export interface About {
  readonly kept: 'in a checkpointer' | 'in localStorage' | 'not at all'
  readonly says: string
}

const pages = { 'in a checkpointer': page, 'in localStorage': inLocalStorage, 'not at all': without }

export async function play({ kept, says }: About): Promise<unknown> {
  const written = countWritten()
  const opened = await pages[kept]()
  for (const word of says.split(' ').filter((each) => each !== '')) opened.chat.getState().say(word)
  return { messages: opened.chat.getState().messages, canUndo: 'undo' in opened, written: written() }
}

/** How many characters the page gives to localStorage under the name of the store. */
function countWritten(): () => number {
  let written = 0
  const { setItem } = Storage.prototype
  Storage.prototype.setItem = function (this: Storage, name: string, text: string): void {
    if (name === 'chat-42') written += text.length
    setItem.call(this, name, text)
  }
  return () => written
}
