/** While it lasts nothing is sent. */
export interface Hold {
  readonly over: Promise<void>
  readonly end: () => void
}

export function newHold(): Hold {
  let end: Hold['end'] = () => {}
  const over = new Promise<void>((resolve) => (end = resolve))
  return { over, end }
}
