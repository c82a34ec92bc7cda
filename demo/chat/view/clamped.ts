const MOST = 50_000

/** As much as anybody reads. The rest is in the state, and the inspector shows it. */
export const clamped = (text: string): string =>
  text.length <= MOST
    ? text
    : `${text.slice(0, MOST)}\n… and ${(text.length - MOST).toLocaleString()} characters more`
