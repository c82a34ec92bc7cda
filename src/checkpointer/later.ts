import { part } from '../part.ts'

/** What a page need not wait for to open, save and load. */
export const later = () => part(() => import('./all-later.ts'))

/** What is fetched when it is asked for: few pages ever do. */
export const seldom = () => part(() => import('./all-seldom.ts'))
