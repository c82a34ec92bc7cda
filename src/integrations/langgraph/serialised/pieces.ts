import { isObject } from './alike.ts'
import { isOther, type Form } from './form.ts'
import type { Last } from './lasts.ts'
import { isSaid, standsAlone } from './said.ts'

/** Asks LangGraph's serialiser before it returns. */
type Ask = (items: readonly unknown[]) => Promise<Form>

/**
 * A channel's value by what it was last, where LangGraph's serialiser is asked for no more than the items of a list that
 * are not what they were. `undefined` where it is to be asked for all: hardly anything is left of what was, or something
 * new may be said otherwise in another place.
 */
export function inPieces(value: unknown, last: Form, ask: Ask): Last | Promise<Last | undefined> | undefined {
  try {
    if (!Array.isArray(value) || !Array.isArray(last))
      return isSaid(value, last) ? { form: frozen(last) } : undefined
    if ('toJSON' in value || 'lg_name' in value) return undefined
    return listInPieces(value, last, ask)
  } catch {
    // A getter threw, or it is too deep: that is for the serialiser to say.
    return undefined
  }
}

function listInPieces(
  list: readonly unknown[],
  last: readonly Form[],
  ask: Ask,
): Last | Promise<Last | undefined> | undefined {
  const forms: Form[] = []
  const changed: number[] = []
  for (let at = 0; at < list.length; at++) {
    const isLeft = at < last.length && isSaid(list[at], last[at])
    forms.push(isLeft ? last[at] : undefined)
    if (!isLeft) changed.push(at)
  }
  if (changed.length === 0) return { form: frozen(forms) }
  const items = changed.map((at) => list[at])
  if (items.length === list.length || !items.every(standsAlone)) return undefined
  return ask(items).then((said) => {
    if (!Array.isArray(said) || isOther(said) || said.length !== items.length) return undefined
    for (const [i, at] of changed.entries()) forms[at] = said[i]
    return { form: frozen(forms) }
  })
}

/** All the way down: what is frozen, a save knows again without looking into it. */
function frozen(form: Form): Form {
  if (!isObject(form) || Object.isFrozen(form)) return form
  for (const each of Object.values(form)) frozen(each)
  return Object.freeze(form)
}
