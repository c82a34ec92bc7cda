import type { At, Place } from '../../operations/host.ts'
import { checkRef, invalid, reading } from '../options/options.ts'
import type { Shared } from './shared.ts'
import type { Which } from './types.ts'

const WANTED = 'a seq, an id, or one of { seq }, { id }, { step } and { label }'

/** Which checkpoint is meant; `path` names the option or argument that says it. */
function whichAt(path: string, which: Which): At {
  if (typeof which === 'number' || typeof which === 'string') {
    checkRef(path, which)
    return typeof which === 'number' ? { seq: which } : { id: which }
  }
  if (typeof (which as unknown) !== 'object' || (which as unknown) === null) throw invalid(path, WANTED)
  const [entry, ...others] = reading(path, () => Object.entries<unknown>(which))
  const names = [entry, ...others].map((each) => each?.[0])
  // Its step need not be its own alone, so which checkpoint that means would be a guess.
  if (names.includes('seq') && names.includes('id'))
    throw invalid(path, `${WANTED}: of a whole checkpoint, give its \`.seq\` or its \`.id\``)
  if (!entry || others.length > 0) throw invalid(path, WANTED)
  const [name, value] = entry
  if (name === 'seq' && typeof value === 'number') {
    checkRef(path, value)
    return { seq: value }
  }
  if (name === 'id' && typeof value === 'string') {
    checkRef(path, value)
    return { id: value }
  }
  if (name === 'step' && typeof value === 'number' && Number.isFinite(value)) return { step: value }
  if (name === 'label' && typeof value === 'string') return { label: value }
  throw invalid(path, WANTED)
}

/** The seq or the id, when it is one of those. */
export function refOf(at: At): number | string | undefined {
  if ('seq' in at) return at.seq
  return 'id' in at ? at.id : undefined
}

/** The same as the store is to be asked for it. */
export function storedAt({ saves }: Shared, place: Place, path: string, which: Which): At {
  const at = whichAt(path, which)
  const named = 'seq' in at ? saves.named(place, at.seq) : undefined
  return typeof named === 'string' ? { id: named } : at
}
