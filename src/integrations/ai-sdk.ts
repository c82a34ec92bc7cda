export {
  ForkpointTransport,
  type ChatBranch,
  type ChatPlace,
  type ForkpointTransportOptions,
} from './ai-sdk/transport.ts'
export type { StreamIds } from './ai-sdk/under-way.ts'
export type { Journal, JournaledToolsOptions } from './ai-sdk/tools/journal.ts'
