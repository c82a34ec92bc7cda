/**
 * How a class or a kind of value of the caller's is stored.
 *
 * A class: the own enumerable properties of its instances, which may hold anything a state may; they come
 * back on `Object.create(Class.prototype)`, so constructors do not run and private fields do not survive.
 * An own kind: whatever `serialize` returns, which may again hold anything a state may.
 */
export type TypeRegistration = ClassRegistration | KindRegistration

export interface ClassRegistration {
  /** Stands in every stored row: never change it once something was saved. */
  readonly name: string
  readonly class: abstract new (...args: never[]) => object
}

export interface KindRegistration {
  /** Stands in every stored row: never change it once something was saved. */
  readonly name: string
  /** Asked for every value that is not a primitive of JSON's, an array or a plain object. */
  isApplicable(value: unknown): boolean
  serialize(value: unknown): unknown
  deserialize(stored: unknown): unknown
}
