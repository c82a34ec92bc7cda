/** Of 64 bits, two halves that are mixed by different factors. Pages over plain http lack `crypto.subtle`. */
export function hashOf(text: string): string {
  let [one, other] = [0, 1]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x85ebca6b)
    one ^= one >>> 15
    other ^= other >>> 13
  }
  return [one, other].map((half) => (half >>> 0).toString(16)).join('-')
}
