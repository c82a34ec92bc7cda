/** One file, and so one request, for what few pages ask for. */
export { exportBytes } from './carry/export.ts'
export { importFrom } from './carry/import.ts'
export { syncAsked } from './sync/options.ts'
export { syncStores } from './sync/sync.ts'
export { verification } from './upkeep/verification.ts'
