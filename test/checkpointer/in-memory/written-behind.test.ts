import { checkpointerSuite } from 'forkpoint/testing'
import { inMemory, SMALL } from './in-memory.ts'

checkpointerSuite('memory with small limits, written behind', inMemory(SMALL, 'async'))
