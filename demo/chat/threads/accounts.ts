/** What happened that nobody asked for, told calmly: each says what is kept, and what to do, if anything. */
import { CheckpointerError } from 'forkpoint'

export interface Account {
  readonly tone: 'news' | 'warning'
  readonly text: string
  /** What a button offers. */
  readonly offer?: 'retry' | 'make room' | 'key'
}

/** How a run came to be gone on with. */
export interface Resumed {
  /** In the tab that had begun it. */
  readonly isHere: boolean
  /** Absent while it is not known. */
  readonly how?: 'goes on' | 'asks again'
}

export function resumed({ isHere, how }: Resumed): Account {
  const why = isHere
    ? 'The page was reloaded while the agent was at work.'
    : 'The tab that ran this was closed or crashed.'
  return { tone: 'news', text: how ? `${why} ${HOW[how]}` : why }
}

const HOW = {
  'goes on': 'It went on from where it was; nothing was lost or done twice.',
  'asks again':
    'The model cannot go on in the middle of an answer, so it was asked again. All that was done before is kept.',
} as const

export const keyGone: Account = {
  tone: 'warning',
  text: 'The key of the model was kept in memory alone, and went with the page. Give it again, and the agent goes on.',
  offer: 'key',
}

const takenOver: Account = {
  tone: 'news',
  text: 'Another tab has taken over. You still see everything here as it comes.',
}

export const tookOver: Account = {
  tone: 'news',
  text: 'This tab has taken over from the other one, which only watches now.',
}

const full: Account = {
  tone: 'warning',
  text: 'The browser has no more room for this site. All that was saved is safe; what came last is not saved yet. Make room, then go on.',
  offer: 'make room',
}

export const stepGone: Account = {
  tone: 'warning',
  text: 'What this would go on from was removed meanwhile. Nothing else has changed.',
}

/** What to say of a run, or of something else, that has failed. */
export function accountOf(error: unknown): Account {
  if (CheckpointerError.is(error, 'QUOTA')) return full
  if (CheckpointerError.is(error, 'LEASE_LOST')) return takenOver
  if (CheckpointerError.is(error, 'NOT_FOUND')) return stepGone
  if (CheckpointerError.is(error)) return { tone: 'warning', text: `${error.message} (${error.code})` }
  return { tone: 'warning', text: error instanceof Error ? error.message : String(error) }
}

/** What the library could tell no caller. */
export function accountOfWarning(warning: CheckpointerError): Account {
  const { code, message } = warning
  if (code === 'DATA_LOSS')
    return {
      tone: 'warning',
      text: `The browser has lost some of what was saved here: ${message} The rest is as it was.`,
    }
  return code === 'QUOTA' ? full : { tone: 'warning', text: `${message} (${code})` }
}
