/** The runs that this tab has begun: after a reload it knows that it was itself that was interrupted. */
const KEY = 'forkpoint-chat:runs'
const MOST = 20

const read = (): string[] => (sessionStorage.getItem(KEY) ?? '').split(' ').filter((id) => id !== '')

export const ownRuns = {
  has: (runId: string): boolean => read().includes(runId),
  add(runId: string): void {
    sessionStorage.setItem(KEY, [...read().filter((id) => id !== runId), runId].slice(-MOST).join(' '))
  },
}
