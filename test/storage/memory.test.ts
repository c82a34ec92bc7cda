import { memoryStorage } from '../../src/storage/memory.ts'
import { storageSuite } from '../../src/testing/storage-suite.ts'

storageSuite('memory', { open: async () => ({ storage: memoryStorage() }) })

const limits = { keyBytes: 64, valueBytes: 1024, operations: 16, commitBytes: 4096 }
storageSuite('memory with small limits', { open: async () => ({ storage: memoryStorage({ limits }) }) })
