/** All that a run needs, in one piece: fetched when the first one begins. */
export { chosenModel } from '../models/choose.ts'
export { tools } from '../tools/all.ts'
export { agent } from './agent.ts'
