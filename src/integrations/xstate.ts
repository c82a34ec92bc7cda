export { savedSnapshot, type SavedSnapshot } from './xstate/restore.ts'
export { keepActor, type KeepOptions, type KeptActor } from './xstate/keep.ts'
export { followActor } from './xstate/follow.ts'
export { fromStep, type StepWork } from './xstate/step.ts'
