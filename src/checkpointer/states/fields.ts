import type { CheckpointFields, CheckpointInfo } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import type { Place, StoredExtra, StoredFields, StoredInfo } from '../../operations/host.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import type { Codec } from '../../state/codec.ts'
import { pathText } from '../../state/json.ts'
import { checkIdAt, invalid, itemsOf, reading, type Names, type OrUndefined } from '../options/options.ts'

export const FIELDS: Names<CheckpointFields> = {
  node: true,
  next: true,
  step: true,
  runId: true,
  workflow: true,
  label: true,
  source: true,
  path: true,
  extra: true,
}
const TEXTS = ['node', 'runId', 'workflow', 'label', 'source'] as const
const MAX_TEXT = 1024
const MAX_LIST = 10_000

/** The caller's fields as they are stored; refuses what they cannot be. */
export function storedFields(fields: OrUndefined<CheckpointFields>, codec: Codec): StoredFields {
  const { node, step, runId, workflow, label, source, extra } = fields
  for (const name of TEXTS) {
    const value: unknown = fields[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || value.length > MAX_TEXT)
      throw invalid(name, `a string of at most ${MAX_TEXT} characters`)
  }
  // What deleteRun would not take could never be deleted by it.
  if (runId !== undefined) checkIdAt('runId', 'runId', runId)
  if (step !== undefined && !Number.isFinite(step)) throw invalid('step', 'a finite number')
  const next = textsOf('next', fields.next)
  const path = textsOf('path', fields.path)
  return withoutUndefined({
    node,
    next,
    step,
    runId,
    workflow,
    label,
    source,
    path,
    extra: extra === undefined ? undefined : storedExtra('extra', extra, codec),
  })
}

function textsOf(name: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  const wanted = `an array of at most ${MAX_LIST} strings`
  const items = itemsOf(name, value, wanted, MAX_LIST)
  if (!items.every((item) => typeof item === 'string')) throw invalid(name, wanted)
  return items
}

/** As a list of names and values, since a name may be any text. */
export function storedExtra(
  place: string,
  extra: Readonly<Record<string, unknown>>,
  codec: Codec,
): StoredExtra {
  const shape: unknown = extra
  const names = reading(place, () => {
    const isRecord =
      typeof shape === 'object' &&
      shape !== null &&
      [Object.prototype, null].includes(Object.getPrototypeOf(shape) as null)
    if (!isRecord) throw invalid(place, 'a plain object')
    return Object.keys(shape)
  })
  return names.map((name) => {
    const path = `${place}${pathText([name]).slice(1)}`
    const value = reading(path, () => extra[name])
    try {
      return [name, codec.capture(value).state] as const
    } catch (error) {
      if (!CheckpointerError.is(error)) throw error
      throw new CheckpointerError(error.code, `extra cannot be kept: ${error.message}`, {
        path: `${path}${(error.path ?? '$').slice(1)}`,
        cause: error,
      })
    }
  })
}

/** What the store knows of a checkpoint, as it is told. */
function infoFields(
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

export function toInfo(codec: Codec, { thread, namespace }: Place, info: StoredInfo): CheckpointInfo {
  const { seq, id, parent, createdAt } = info
  return {
    thread,
    namespace,
    seq,
    id,
    ...(parent ? { parentId: parent.id } : {}),
    createdAt: new Date(createdAt),
    ...infoFields(info, codec),
  }
}
