export { checkpointerSuite, type Ground } from './checkpointer-suite.ts'
export { storageSuite, type StorageFactory, type StorageHandle } from './storage-suite.ts'
