/** Thrown inside state/ alone; where the walk began it becomes `INVALID` with the path. */
export class Refusal extends Error {}

/** Containers nest deeper than MAX_DEPTH: too deep, or in a circle. */
export class TooDeep extends Error {}

const ADVICE: Readonly<Record<string, string>> = {
  Promise: 'a promise cannot be stored: await it before saving',
  WeakMap: 'a WeakMap cannot be read: use a Map, or leave it out',
  WeakSet: 'a WeakSet cannot be read: use a Set, or leave it out',
  WeakRef: 'a WeakRef cannot be stored: store what it refers to, or leave it out',
  Blob: 'a Blob cannot be read at once: store the bytes, `await blob.arrayBuffer()`',
  File: 'a File cannot be read at once: store its name and bytes, `await file.arrayBuffer()`',
  SharedArrayBuffer: 'shared memory cannot be stored: store a copy, `bytes.slice()`',
  Window: 'a window cannot be stored: leave it out',
  Buffer: 'a Node Buffer would come back as a Uint8Array: store `new Uint8Array(buffer)`',
}

/** What is wrong with an object of a class that is not known, and what to do about it. */
export function adviceFor(value: object, name: string, tag: string): string {
  if (Object.hasOwn(ADVICE, name)) return ADVICE[name]!
  if (Object.hasOwn(ADVICE, tag)) return ADVICE[tag]!
  if (tag === 'String' || tag === 'Number' || tag === 'Boolean' || tag === 'BigInt' || tag === 'Symbol') {
    return `a boxed ${tag.toLowerCase()} cannot be stored: use the primitive`
  }
  if ('nodeType' in value && 'ownerDocument' in value) {
    return `a DOM node (${name}) cannot be stored: leave it out`
  }
  return `an instance of ${name} cannot be stored: register it with \`types\`, or store a plain object`
}
