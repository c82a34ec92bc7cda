/** `forkpoint/server`: a checkpointer that others use over HTTP. */
export { createHandler, onlyReads, type Access, type HandlerOptions, type Served } from './server/handler.ts'
export { familiesHost, type Families, type FamilyIndex, type IndexedThread } from './server/families.ts'
export { nodeListener, type NodeRequest, type NodeResponse } from './server/node.ts'
