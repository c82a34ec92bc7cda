/** The states, changes of states and pending writes that are in a request. */
import type { Host, NewCheckpoint, StoredWrite } from '../operations/host.ts'
import type { Body } from '../operations/shapes/bodies.ts'
import type { Verb } from '../operations/verbs.ts'

type Saved = Pick<NewCheckpoint, 'frame'> & { readonly writes?: readonly StoredWrite[] }

const ofSave = ({ frame, writes = [] }: Saved): Body[] => [frame, ...writes]

/** What a sync brings is looked at where it is taken in, whoever brings it. */
const BODIES: { readonly [V in Verb]?: (request: Parameters<Host[V]>[0]) => readonly Body[] } = {
  save: ofSave,
  saveMany: ({ saves }) => saves.flatMap(ofSave),
  fork: ({ first }) => (first ? ofSave(first) : []),
  putWrites: ({ writes }) => writes,
}

/** Of a request whose shape was checked. */
export const bodiesIn = (verb: Verb, request: unknown): readonly Body[] =>
  (BODIES[verb] as ((request: unknown) => readonly Body[]) | undefined)?.(request) ?? []
