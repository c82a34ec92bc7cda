import type { CheckpointFields } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import { forkLabel, randomId } from '../../ids.ts'
import type { At, Place } from '../../operations/host.ts'
import { newId } from '../new-id.ts'
import { checkFunction, checkIdAt, checkOptions, type Names } from '../options/options.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { capture } from '../states/capture.ts'
import { storedFields } from '../states/fields.ts'
import { edited } from './edited.ts'
import { load } from './load.ts'
import type { Shared } from './shared.ts'
import type { ForkOptions } from './types.ts'
import { storedAt } from './which.ts'

const FORK: Names<ForkOptions<unknown>> = { at: true, edit: true, as: true, label: true }

/** Forks, and gives the new thread's id. */
export async function fork<State>(
  shared: Shared,
  place: Place,
  options: ForkOptions<State>,
): Promise<string> {
  const { at: which, edit, ...names } = checkOptions<ForkOptions<State>>('fork', options, FORK)
  const { label = forkLabel(place.thread) } = names
  if (names.as !== undefined) checkIdAt('as', 'A thread id', names.as)
  storedFields({ label }, shared.codec)
  checkFunction('edit', edit)
  const at = which === undefined ? undefined : storedAt(shared, place, 'at', which)
  const first = edit && (await withEdit(shared, place, edit, at, label))
  const point = first?.at ?? at
  const { host, known, unsure } = shared
  const fresh = {
    key: newId(),
    asked: JSON.stringify({ at: point, label, as: names.as }),
    state: first?.known.state,
    as: names.as ?? randomId(),
  }
  const { head, as } = await unsure.fork.call(place, fresh, async ({ key, as }) => {
    const request = { ...place, as, label, createdAt: Date.now(), key }
    const reply = await host.fork({
      ...request,
      ...(point ? { at: point } : {}),
      ...(first ? { first: first.checkpoint } : {}),
    })
    return { head: reply.head, as }
  })
  const mine = first?.known ?? known.find(place, head.id)
  const twin = { thread: as, namespace: place.namespace }
  if (mine?.key === (head.key ?? head.id)) known.add(twin, { ...mine, seq: head.seq }, true)
  return as
}

/** The fork point's state after the caller's edit, as the first checkpoint of the fork. */
async function withEdit<State>(
  shared: Shared,
  place: Place,
  edit: NonNullable<ForkOptions<State>['edit']>,
  at: At | undefined,
  label: string,
) {
  const loaded = await load<State>(shared, place, at)
  if (!loaded)
    throw new CheckpointerError(
      'NOT_FOUND',
      `Thread '${place.thread}' has no such checkpoint to fork.`,
      place,
    )
  const { checkpoint: origin, known: start } = loaded
  const state = await edited(origin.state, edit)
  const { node, next, step, workflow, path, extra } = origin
  const fields: CheckpointFields = {
    ...withoutUndefined({ node, next, step, workflow, path, extra }),
    label,
    source: 'fork',
  }
  const captured = capture(shared.codec, state, fields, start)
  const key = newId()
  return {
    checkpoint: { ...captured.checkpoint, key },
    known: { id: key, key, state: captured.state },
    at: { seq: origin.seq },
  }
}
