import { part } from '../part.ts'

/** What a page need not wait for to open, save and load. */
export const later = () => part(() => import('./all-later.ts'))
