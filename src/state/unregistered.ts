/** A row is sound, but names a type that this codec was not given. */
export class Unregistered extends Error {
  constructor(name: string) {
    super(`the state holds "${name}": register it with \`types\``)
  }
}
