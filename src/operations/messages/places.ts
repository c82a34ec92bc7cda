import type { Fenced } from './leases.ts'

export interface Place {
  readonly thread: string
  readonly namespace: string
}

/** All namespaces of a thread. */
export interface OfThread extends Fenced {
  readonly thread: string
}

/** Which checkpoint: the head when absent. */
export type At =
  | { readonly seq: number }
  | { readonly id: string }
  | { readonly step: number }
  | { readonly label: string }
