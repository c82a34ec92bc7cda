/** What may stand in an element. Text is only ever text. */
export type Child = Node | string | false | undefined

type Listeners = { readonly [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }

interface Attributes {
  readonly on?: Listeners
  readonly [name: string]: string | number | boolean | Listeners | undefined
}

/** An element. No attribute is ever a style or a script, so that it stands under any Content-Security-Policy. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { on = {}, ...attributes }: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) set(element, name, value)
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener as EventListener)
  element.append(...present(children))
  return element
}

/** In place of what stands there. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...present(children))
}

/** A button that says what it does. */
export function button(
  text: string,
  press: () => void,
  { class: look = '', ...more }: Attributes = {},
): HTMLButtonElement {
  return h('button', { type: 'button', class: look, on: { click: press }, ...more }, text)
}

const SVG = 'http://www.w3.org/2000/svg'

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Node[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  element.append(...children)
  return element
}

function set(element: Element, name: string, value: Attributes[string]): void {
  if (typeof value === 'string' || typeof value === 'number') element.setAttribute(name, String(value))
  else if (value === true) element.setAttribute(name, '')
}

/** Those that are there. */
export const present = (children: readonly Child[]): (Node | string)[] =>
  children.filter((child): child is Node | string => child !== undefined && child !== false)
