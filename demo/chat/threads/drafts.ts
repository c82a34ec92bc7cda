/** What was written and not sent yet, by thread. It waits there, over reloads too. */
const KEY = 'forkpoint-chat:drafts'

const written = new Map<string, string>(read())

export const drafts = {
  of: (thread: string): string => written.get(thread) ?? '',
  keep(thread: string, text: string): void {
    if (text === '') written.delete(thread)
    else written.set(thread, text)
  },
}

// At every key it would be much to do, and here it is early enough.
addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...written]))
  } catch {
    // A draft that is longer than there is room for is not kept over a reload.
  }
})

function read(): [string, string][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as [string, string][]
  } catch {
    return []
  }
}
