import type { CheckpointFields } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { StoredFields, StoredInfo } from '../operations/host.ts'
import type { Codec } from '../state/codec.ts'
import { isJsonObject, type JsonObject } from '../state/json.ts'
import { checkId } from '../ids.ts'

const TEXTS = ['node', 'runId', 'workflow', 'label', 'source'] as const
const LISTS = ['next', 'path'] as const
const MAX_TEXT = 1024
const MAX_LIST = 10_000

/** The caller's fields as they are stored; refuses what they cannot be. */
export function storedFields(fields: CheckpointFields, codec: Codec): StoredFields {
  for (const name of TEXTS) {
    const value: unknown = fields[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || value.length > MAX_TEXT)
      throw invalid(name, `a string of at most ${MAX_TEXT} characters`)
  }
  for (const name of LISTS) {
    const value: unknown = fields[name]
    if (value === undefined) continue
    const isList =
      Array.isArray(value) && value.length <= MAX_LIST && value.every((item) => typeof item === 'string')
    if (!isList) throw invalid(name, `an array of at most ${MAX_LIST} strings`)
  }
  if (fields.step !== undefined && !Number.isFinite(fields.step)) throw invalid('step', 'a finite number')
  const { node, next, step, runId, workflow, label, source, path, extra } = fields
  return withoutUndefined({
    node,
    next: next && [...next],
    step,
    runId,
    workflow,
    label,
    source,
    path: path && [...path],
    extra: extra === undefined ? undefined : storedExtra(extra, codec),
  })
}

export function storedExtra(extra: Readonly<Record<string, unknown>>, codec: Codec): JsonObject {
  const { state } = codec.capture(extra)
  if (!isJsonObject(state) || Object.hasOwn(state, '$fp')) throw invalid('extra', 'a plain object')
  return state
}

/** What the store knows of a checkpoint, as it is told. */
export function infoFields(
  { node, next, step, runId, workflow, label, source, path, extra }: StoredInfo,
  codec: Codec,
): CheckpointFields {
  return withoutUndefined({
    node,
    next,
    step,
    runId,
    workflow,
    label,
    source,
    path,
    extra: extra === undefined ? undefined : (codec.decode(extra) as Record<string, unknown>),
  })
}

/** A reference to a checkpoint: its seq or its id. */
export function checkRef(name: string, ref: unknown): asserts ref is number | string {
  if (typeof ref === 'number') {
    if (!Number.isSafeInteger(ref) || ref < 0) throw invalid(name, 'a seq (a whole number from 0) or an id')
  } else {
    checkId(name, ref)
  }
}

export const invalid = (name: string, wanted: string): CheckpointerError =>
  new CheckpointerError('INVALID', `${name} must be ${wanted}.`, { path: name })

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(value: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<
    Defined<T>
  >
}
