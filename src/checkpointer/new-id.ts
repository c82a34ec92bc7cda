const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
let lastTime = 0
let count = 0

/** A new id: later ones compare greater as text, in one realm always, between realms to the millisecond. */
export function newId(): string {
  const now = Date.now()
  if (now > lastTime) {
    lastTime = now
    count = 0
  } else {
    count++
  }
  const random = crypto.getRandomValues(new Uint8Array(10))
  return (
    inBase32(lastTime, 9) + inBase32(count, 4) + Array.from(random, (byte) => ALPHABET[byte & 31]).join('')
  )
}

function inBase32(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32))
    text = `${ALPHABET[rest % 32]}${text}`
  return text
}
