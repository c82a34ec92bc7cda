/**
 * How a class or a kind of value of the caller's is stored.
 *
 * A class: the own enumerable properties of its instances, which may hold anything a state may; they come
 * back on `Object.create(Class.prototype)`, so constructors do not run and private fields do not survive.
 * An own kind: whatever `serialize` returns, which may again hold anything a state may.
 */
export type TypeRegistration = ClassRegistration | KindRegistration

/** A class of yours whose instances states hold. */
export interface ClassRegistration {
  /** Stands in every stored row: never change it once something was saved. */
  readonly name: string
  /** The class itself; of its subclasses each is registered by itself. */
  readonly class: abstract new (...args: never[]) => object
}

/** A kind of values of your own that states hold, and how they are written. */
export interface KindRegistration {
  /** Stands in every stored row: never change it once something was saved. */
  readonly name: string
  /** Asked for every value that is not a primitive of JSON's, an array or a plain object. */
  isApplicable(value: unknown): boolean
  /** What is stored for it: anything that a state may hold. */
  serialize(value: unknown): unknown
  /** The value back, from what `serialize` gave. */
  deserialize(stored: unknown): unknown
}
