/** So many small letters and digits at random, for what is to be unlike all others. */
export const randomName = (length: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => (byte % 36).toString(36)).join('')

/** A pause of that many milliseconds at most, so that those who met come apart. */
export const randomPause = (most: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * most))
