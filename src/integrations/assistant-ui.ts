export type { ForkpointNews } from './assistant-ui/news.ts'
export type { Conversation, Entry } from './assistant-ui/stored.ts'
export { ForkpointHistory, type ForkpointHistoryOptions } from './assistant-ui/thread-history.ts'
export {
  ForkpointThreads,
  type ForkpointThreadsOptions,
  type ForkThreadOptions,
} from './assistant-ui/threads.ts'
