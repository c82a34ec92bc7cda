import type {
  AgentInputItem,
  SessionHistoryMutation,
  SessionHistoryTransaction,
  SessionHistoryTransactionArgs,
} from '@openai/agents-core'
import { CheckpointerError } from '../../errors.ts'
import { fingerprintOf } from '../shared/fingerprint.ts'
import { same } from '../shared/same.ts'

/** What each checkpoint of a session holds. */
export interface SessionState {
  readonly items: readonly AgentInputItem[]
  /** The transactions that were applied last, each by its id and by what it is known again: it is applied once. */
  readonly applied?: readonly { readonly id: string; readonly of: string }[]
  /** A run that waits for a person, or was cut off: what `RunState.toString()` gave, as JSON where it is that. */
  readonly run?: unknown
}

type Applied = NonNullable<SessionState['applied']>[number]

/** As it may be stored: once, transactions were kept whole, by their ids. */
type Stored = Omit<SessionState, 'applied'> & {
  readonly applied?: readonly Applied[] | Readonly<Record<string, SessionHistoryTransaction>>
}

export const EMPTY: SessionState = { items: [] }

/** So many transactions are known again at least: who repeats one does so before it begins many others. */
const LEAST_APPLIED = 256
/** When there are so many, the older ones are forgotten at once: a list that loses its first at each turn is written anew. */
const MOST_APPLIED = 512

/** The state of a session, which has none at first; a thread that somebody else has saved to has another one. */
export function stateOf(thread: string, state: Stored | undefined): SessionState {
  if (state === undefined) return EMPTY
  if (Array.isArray((state as Partial<Stored> | null)?.items)) return withFingerprints(state)
  throw new CheckpointerError(
    'UNSUPPORTED',
    `Thread '${thread}' was saved to by something else: give a session a thread of its own.`,
    { thread },
  )
}

function withFingerprints({ applied, ...rest }: Stored): SessionState {
  if (!applied) return rest
  if (isList(applied)) return { ...rest, applied }
  return { ...rest, applied: Object.entries(applied).map(([id, transaction]) => toApplied(id, transaction)) }
}

const isList = (applied: NonNullable<Stored['applied']>): applied is readonly Applied[] =>
  Array.isArray(applied)

const toApplied = (id: string, transaction: SessionHistoryTransaction): Applied => ({
  id,
  of: fingerprintOf(transaction),
})

export const withItems = (state: SessionState, items: readonly AgentInputItem[]): SessionState => ({
  ...state,
  items: [...state.items, ...items],
})

/** With what is not there yet of these items, behind the first so many; `undefined` when all of it is. */
export function withItemsBehind(
  state: SessionState,
  length: number,
  items: readonly AgentInputItem[],
): SessionState | undefined {
  for (let at = length; at < state.items.length; at++) {
    const there = state.items.slice(at, at + items.length)
    if (!there.every((item, index) => comesTo(item, items[index]))) continue
    if (same(there, items)) return undefined
    const behind = state.items.slice(at + there.length)
    return { ...state, items: [...state.items.slice(0, at), ...items, ...behind] }
  }
  return items.length === 0 ? undefined : withItems(state, items)
}

/** Whether it is the same, or what was there before it: the SDK adds a result to each call that a stop has left without one. */
const comesTo = (item: AgentInputItem, next: AgentInputItem | undefined): boolean =>
  same(item, next) ||
  (item.type === 'function_call_result' &&
    next?.type === 'function_call_result' &&
    item.status === 'incomplete' &&
    item.callId === next.callId)

/** `undefined` when there is none. */
export function withoutRun({ run, ...rest }: SessionState): SessionState | undefined {
  return run === undefined ? undefined : rest
}

/** The state after a transaction; `undefined` when it was applied before. */
export function afterTransaction(
  state: SessionState,
  { operationId, transaction }: SessionHistoryTransactionArgs,
): SessionState | undefined {
  const { applied = [] } = state
  const now = toApplied(operationId, transaction)
  const before = applied.find(({ id }) => id === operationId)
  if (before) {
    if (before.of === now.of) return undefined
    throw new CheckpointerError('CONFLICT', `Operation '${operationId}' was applied with other items.`)
  }
  const items = itemsAfter(state.items, transaction)
  const known = applied.length < MOST_APPLIED ? applied : applied.slice(1 - LEAST_APPLIED)
  return { ...state, items, applied: [...known, now] }
}

function itemsAfter(
  items: readonly AgentInputItem[],
  transaction: SessionHistoryTransaction,
): readonly AgentInputItem[] {
  if (transaction.type === 'append_items') return [...items, ...transaction.items]
  const { expectedSuffix, replacement } = transaction
  const start = items.length - expectedSuffix.length
  if (start < 0 || !same(items.slice(start), expectedSuffix))
    throw new CheckpointerError(
      'CONFLICT',
      'The session does not end with the items that are to be replaced: something else was added or taken away.',
    )
  return [...items.slice(0, start), ...replacement]
}

/** Of several calls with one id the first is replaced, and the others go. */
export function afterMutations(
  state: SessionState,
  mutations: readonly SessionHistoryMutation[],
): SessionState {
  let items = state.items
  for (const { callId, replacement } of mutations) {
    let isReplaced = false
    items = items.flatMap((item) => {
      if (item.type !== 'function_call' || item.callId !== callId) return [item]
      const kept = isReplaced ? [] : [replacement]
      isReplaced = true
      return kept
    })
  }
  return { ...state, items }
}
