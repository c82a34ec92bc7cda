export { fold } from './delta/fold.ts'
export type { Delta } from './delta/op.ts'
export { parseDelta } from './delta/parse.ts'
