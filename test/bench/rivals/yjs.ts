import { IndexeddbPersistence } from 'y-indexeddb'
import * as Y from 'yjs'
import type { Message } from '../agent-loop.ts'
import { asItComes } from '../page/answer.ts'
import type { Contender, Step } from '../page/contender.ts'

interface Doc {
  readonly doc: Y.Doc
  readonly stored: IndexeddbPersistence
}

/** A document for each thread, with its messages as maps, which the application changes as it changes its state. */
export function make(): Contender {
  const docs = new Map<string, Doc>()
  const opened = async (thread: string): Promise<Doc> => {
    const known = docs.get(thread)
    if (known) return known
    const doc = new Y.Doc()
    const stored = new IndexeddbPersistence(thread, doc)
    docs.set(thread, { doc, stored })
    await stored.whenSynced
    return { doc, stored }
  }
  const apply = ({ doc }: Doc, { state, change }: Step): void =>
    doc.transact(() => {
      const fields = doc.getMap('state')
      const messages = doc.getArray<Y.Map<unknown>>('messages')
      if (fields.get('topic') !== state.topic) fields.set('topic', state.topic)
      fields.set('step', state.step)
      if (change.added) messages.push(change.added.map((message) => mapOf(message)))
    })
  return {
    open: async () => {},
    async save(step) {
      const of = await opened(step.thread)
      apply(of, step)
      await written(of)
    },
    async stream(answer) {
      const of = await opened(answer.thread)
      const { doc } = of
      const content = new Y.Text()
      doc.transact(() => {
        doc.getMap('state').set('step', answer.seq)
        doc.getArray<Y.Map<unknown>>('messages').push([mapOf(answer.message(), content)])
      })
      const write = async (): Promise<void> => {
        content.insert(content.length, answer.message().content.slice(content.length))
        await written(of)
      }
      await asItComes(answer.tokens(), write)
      await write()
    },
    async load(thread) {
      const { doc } = await opened(thread)
      return { ...doc.getMap('state').toJSON(), messages: doc.getArray('messages').toJSON() }
    },
    close: async () => {
      for (const { stored } of docs.values()) await stored.destroy()
    },
  }
}

function mapOf({ content, ...rest }: Message, text = new Y.Text(content)): Y.Map<unknown> {
  const map = new Y.Map<unknown>(Object.entries(rest))
  map.set('content', text)
  return map
}

/** It tells of no write that it is done; a read of the same store comes behind it. */
function written({ stored }: Doc): Promise<void> {
  const { db } = stored as unknown as { readonly db: IDBDatabase }
  return new Promise((resolve, reject) => {
    const request = db.transaction('updates', 'readonly').objectStore('updates').count()
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error ?? new Error('failed'))
  })
}
