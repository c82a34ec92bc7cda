import type { AgentInputItem, SessionHistoryTransactionArgs } from '@openai/agents-core'
import { invalid } from '../../checkpointer/options/options.ts'
import { taken } from '../shared/taken.ts'

const KINDS: readonly unknown[] = ['append_items', 'replace_suffix']

/** A run that was given anything else would fail at every call from then on. */
export function takenItems(given: readonly AgentInputItem[], path = 'items'): AgentInputItem[] {
  const isItem = (item: unknown): boolean => typeof item === 'object' && item !== null && !Array.isArray(item)
  if (!Array.isArray(given) || !given.every(isItem)) throw invalid(path, 'a list of items, each an object')
  return taken('An item', given)
}

/** A transaction that can be applied, and told from others. */
export function takenTransaction(given: SessionHistoryTransactionArgs): SessionHistoryTransactionArgs {
  const { operationId, transaction } = taken('The transaction', given)
  if (typeof operationId !== 'string' || operationId.trim() === '')
    throw invalid('operationId', 'a text that is not empty')
  if (!KINDS.includes(transaction?.type))
    throw invalid('transaction.type', "'append_items' or 'replace_suffix'")
  if (transaction.type === 'append_items') takenItems(transaction.items, 'transaction.items')
  else takenItems(transaction.replacement, 'transaction.replacement')
  return { operationId, transaction }
}
