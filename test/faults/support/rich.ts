import {
  openCheckpointer,
  type Checkpointer,
  type Storage,
  type TypeRegistration,
} from '../../../src/index.ts'

/** Text that neither repeats nor compresses, the same each time. */
function noise(length: number, seed: number): string {
  let state = seed
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return String.fromCharCode(97 + ((state >>> 16) % 26))
  }).join('')
}

class Money {
  cents = 0n
}

export const typesOfRich: readonly TypeRegistration[] = [
  { name: 'money', class: Money },
  {
    name: 'locale',
    isApplicable: (value) => value instanceof Intl.Locale,
    serialize: String,
    deserialize: (stored) => new Intl.Locale(String(stored)),
  },
]

/** A value of every kind that has a box. */
function everyKind(n: number): unknown {
  const circle: Record<string, unknown> = { n }
  circle['me'] = circle
  return {
    leaves: [undefined, Number.NaN, -0, -Infinity, 12n, new Date(n), new Date(Number.NaN), /a/g],
    url: new URL('https://a.example'),
    bytes: [new Uint8Array([1, 2, n]), new Uint16Array([n]), new ArrayBuffer(2)],
    map: new Map<unknown, unknown>([
      ['k', new Date(n)],
      [{ deep: n }, new Set([n])],
    ]),
    // eslint-disable-next-line no-sparse-arrays -- That is what is stored.
    sparse: [, 'x'],
    bare: Object.assign(Object.create(null) as object, { n }),
    $fp: n,
    'a\n"\\': '\ud83d half, 😀 whole, \u2028',
    error: Object.assign(new TypeError('no', { cause: new RangeError(`${n}`) }), { at: n }),
    money: Object.assign(new Money(), { cents: BigInt(n) }),
    locale: new Intl.Locale(n % 2 ? 'de' : 'en'),
    circle,
  }
}

interface Talk {
  messages: string[]
  count: number
}
const talk = (count: number, voice: string): Talk => ({
  count,
  messages: Array.from({ length: count }, (_, i) => `${voice} says ${i}: ${noise(20, i)}`),
})

/** A database with all there is: branches, forks of forks, removals, parts, namespaces, pending writes, a copy. */
export async function fillRichly(checkpointer: Checkpointer): Promise<void> {
  const a = checkpointer.thread<Talk>('a b')
  for (let i = 1; i <= 12; i++) await a.save(talk(i, 'a'), { step: i, ...(i === 5 ? { label: 'five' } : {}) })
  await a.save(talk(4, 'branch'), { parent: 3, label: 'branch' })
  const b = await a.fork({ at: 8, as: 'fork', edit: (draft) => void draft.messages.push('edited') })
  for (let i = 10; i <= 14; i++) await b.save(talk(i, 'fork'))
  const c = await b.fork({ at: 11, as: 'fork of fork' })
  for (let i = 12; i <= 15; i++) await c.save(talk(i, 'third'))
  await c.fork({ as: 'bare fork' })
  await a.deleteCheckpoints([2, 6, 10])
  await b.prune({ keepEvery: 3, ancestors: 'drop' })
  await a.putWrites(13, 'task 1', [
    { channel: 'found', value: { n: 1 } },
    { channel: 'large', value: noise(18_000, 7) },
  ])
  await c.putWrites(9, 'task 2', [{ channel: 'found', value: 'borrowed' }])
  const large = checkpointer.thread<{ text: string; n: number }>('large')
  for (let n = 1; n <= 4; n++) await large.save({ text: noise(17_000, n % 2), n })
  const spaces = checkpointer.thread<Talk>('spaces', { namespace: 'sub/graph' })
  for (let i = 1; i <= 4; i++) await spaces.save(talk(i, 'sub'))
  for (let i = 1; i <= 2; i++) await checkpointer.thread<Talk>('spaces').save(talk(i, 'root'))
  const kinds = checkpointer.thread('kinds')
  for (let n = 1; n <= 3; n++) await kinds.save(everyKind(n), { extra: { at: new Date(n) } })
  const gone = checkpointer.thread<Talk>('gone')
  for (let i = 1; i <= 6; i++) await gone.save(talk(i, 'gone'))
  const heir = await gone.fork({ at: 5, as: 'heir' })
  await heir.save(talk(6, 'heir'))
  await gone.delete()
  await (await large.copy('large again')).save({ text: 'short', n: 5 })
}

export async function richStorage(storage: Storage): Promise<void> {
  const held = Object.assign(storage, { close: async () => {} })
  const checkpointer = await openCheckpointer({ name: 'rich', storage: held, types: typesOfRich })
  await fillRichly(checkpointer)
  await checkpointer.close()
}

export const PLACES = [
  ['a b', ''],
  ['fork', ''],
  ['fork of fork', ''],
  ['bare fork', ''],
  ['large', ''],
  ['large again', ''],
  ['spaces', ''],
  ['spaces', 'sub/graph'],
  ['kinds', ''],
  ['heir', ''],
] as const
