export { checkpointerSuite, type Ground, type GroundOptions } from './checkpointer-suite.ts'
export { storageSuite, type StorageFactory, type StorageHandle } from './storage-suite.ts'
