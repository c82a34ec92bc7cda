import { checkpointerSuite } from 'forkpoint/testing'
import { inMemory } from './in-memory.ts'

checkpointerSuite('memory', inMemory())
