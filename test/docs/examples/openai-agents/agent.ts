import { tripAgent } from '../../../support/scripted-trip.ts'

/** What the tools have really done. */
export const done: string[] = []

export const agent = tripAgent((what) => done.push(what))
