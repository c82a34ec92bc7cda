/** As searched: “Café” is found by “cafe”. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

type Place = readonly [from: number, to: number]

/** Where in a text something stands, as it is searched. */
export function placesIn(text: string, query: string): readonly Place[] {
  const wanted = folded(query)
  if (wanted === '') return []
  const places: Place[] = []
  // What is folded may be longer or shorter: each of its units knows the character that it comes from.
  const from: number[] = []
  let whole = ''
  for (let at = 0; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const plain = folded(character)
    for (let i = 0; i < plain.length; i++) from.push(at)
    whole += plain
    at += character.length
  }
  from.push(text.length)
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + wanted.length))
    places.push([from[at] ?? 0, from[at + wanted.length] ?? text.length])
  return places
}
