export { ForkpointSaver, type PruneThreadsOptions } from './langgraph/saver.ts'
