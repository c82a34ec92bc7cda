export { forkpointStorage, type ForkpointStorage, type StorageOptions } from './store/storage.ts'
