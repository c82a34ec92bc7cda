import type { CheckpointFields } from '../checkpoint.ts'
import { CheckpointerError } from '../errors.ts'
import type { StoredExtra, StoredFields, StoredInfo } from '../operations/host.ts'
import type { Codec } from '../state/codec.ts'
import { pathText } from '../state/json.ts'
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

/** As a list of names and values, since a name may be any text. */
export function storedExtra(extra: Readonly<Record<string, unknown>>, codec: Codec): StoredExtra {
  const shape: unknown = extra
  const isRecord =
    typeof shape === 'object' &&
    shape !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(shape) as null)
  if (!isRecord) throw invalid('extra', 'a plain object')
  return Object.entries(extra).map(([name, value]) => {
    try {
      return [name, codec.capture(value).state] as const
    } catch (error) {
      if (!CheckpointerError.is(error)) throw error
      const path = `extra${pathText([name]).slice(1)}${(error.path ?? '$').slice(1)}`
      throw new CheckpointerError(error.code, `extra cannot be kept: ${error.message}`, {
        path,
        cause: error,
      })
    }
  })
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
    extra:
      extra === undefined
        ? undefined
        : Object.fromEntries(extra.map(([name, value]) => [name, codec.decode(value)])),
  })
}

/** For callers without types: a clear refusal in place of a failure somewhere inside. */
export function checkOptions(name: string, options: unknown): void {
  if (typeof options !== 'object' || options === null) throw invalid(name, 'an object')
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

export function withoutUndefined<T extends object>(value: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<
    Defined<T>
  >
}
