export { ForkpointSession, type ForkSessionOptions, type ResumeOptions } from './openai-agents/session.ts'
export type {
  AgentInput,
  JournaledRunOptions,
  JournaledRunResult,
  WaitedRun,
} from './openai-agents/journaled-run.ts'
export type { SessionState } from './openai-agents/state.ts'
export type { RunText } from './openai-agents/run.ts'
