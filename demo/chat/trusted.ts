/**
 * The page refuses texts where markup or scripts are made of them (`require-trusted-types-for 'script'`), and this is all
 * that it trusts: the frame of the sandbox, and scripts of its own, for the workers.
 */
import { FRAME } from './tools/sandbox/frame.ts'

interface Policy {
  createHTML(text: string): string
  createScriptURL(text: string): string
}

declare global {
  // TypeScript does not know it yet.
  var trustedTypes: { createPolicy(name: string, rules: Policy): unknown } | undefined
}

const refuse = (text: string): never => {
  throw new TypeError(`This page makes no markup or script of '${text.slice(0, 60)}'.`)
}

/** The policy named `default` is asked for whatever was not made by another. */
export function trustOwn(): void {
  globalThis.trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text === FRAME ? text : refuse(text)),
    createScriptURL: (text) =>
      new URL(text, location.href).origin === location.origin ? text : refuse(text),
  })
}
