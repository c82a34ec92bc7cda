import { Store } from '../threads/store.ts'

type ModelKind = 'script' | 'browser' | 'endpoint'

export interface Settings {
  readonly kind: ModelKind
  readonly url: string
  readonly model: string
  /** In memory alone, unless `keepsKey`. */
  readonly key: string
  readonly keepsKey: boolean
  /** It was given a key, whether that is still here or not. */
  readonly hasKey: boolean
}

const PLACE = 'forkpoint-chat:model'
const DEFAULTS: Settings = {
  kind: 'script',
  url: 'http://localhost:11434/v1',
  model: 'llama3.2',
  key: '',
  keepsKey: false,
  hasKey: false,
}

export const settings = new Store<Settings>(read())

/** The key is left out of what is stored, unless the user has asked for it. */
export function changeSettings(given: Settings): void {
  const changed = { ...given, hasKey: given.key !== '' }
  settings.set(changed)
  const { key: _key, ...others } = changed
  localStorage.setItem(PLACE, JSON.stringify(changed.keepsKey ? changed : others))
}

/** One that was kept in memory alone has gone with the page: there is no use in asking the model without it. */
export const isKeyGone = ({ kind, key, hasKey }: Settings): boolean =>
  kind === 'endpoint' && hasKey && key === ''

function read(): Settings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '{}')
    return { ...DEFAULTS, ...(stored as Partial<Settings>) }
  } catch {
    return DEFAULTS
  }
}
