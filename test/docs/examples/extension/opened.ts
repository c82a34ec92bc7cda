import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

export const opened = openCheckpointer({ name: 'allowed', storage: memoryStorage() })
