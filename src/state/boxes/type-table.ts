import { CheckpointerError } from '../../errors.ts'
import type { ClassRegistration, KindRegistration, TypeRegistration } from '../types.ts'

/** The caller's registrations, by what they are looked up by. */
export class TypeTable {
  readonly #prototypes = new Map<object, string>()
  readonly #classes = new Map<string, object>()
  readonly #kinds = new Map<string, KindRegistration>()

  constructor(types: readonly TypeRegistration[]) {
    for (const type of types) {
      if (typeof type.name !== 'string') throw new CheckpointerError('INVALID', 'a type needs a name')
      const { name } = type
      if (this.#classes.has(name) || this.#kinds.has(name)) {
        throw new CheckpointerError('INVALID', `two types are registered as "${name}"`)
      }
      if ('class' in type) this.#addClass(type)
      else this.#addKind(type)
    }
  }

  /** The name of exactly this class: a subclass of a registered class would come back as its parent. */
  className(prototype: object): string | undefined {
    return this.#prototypes.get(prototype)
  }

  classPrototype(name: string): object | undefined {
    return this.#classes.get(name)
  }

  kindOf(value: unknown): KindRegistration | undefined {
    for (const kind of this.#kinds.values()) if (kind.isApplicable(value)) return kind
    return undefined
  }

  kind(name: string): KindRegistration | undefined {
    return this.#kinds.get(name)
  }

  #addClass(type: ClassRegistration): void {
    const prototype: unknown = typeof type.class === 'function' ? type.class.prototype : undefined
    if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) {
      throw new CheckpointerError('INVALID', `the type "${type.name}" needs a class of its own`)
    }
    if (this.#prototypes.has(prototype)) {
      throw new CheckpointerError('INVALID', `the class of "${type.name}" is registered twice`)
    }
    this.#prototypes.set(prototype, type.name)
    this.#classes.set(type.name, prototype)
  }

  #addKind(type: KindRegistration): void {
    const { isApplicable, serialize, deserialize } = type
    if ([isApplicable, serialize, deserialize].some((part) => typeof part !== 'function')) {
      const needs = 'isApplicable, serialize and deserialize, or a class'
      throw new CheckpointerError('INVALID', `the type "${type.name}" needs ${needs}`)
    }
    this.#kinds.set(type.name, type)
  }
}

/** A row is sound, but names a type that this codec was not given. */
export class Unregistered extends Error {
  constructor(name: string) {
    super(`the state holds "${name}": register it with \`types\``)
  }
}
