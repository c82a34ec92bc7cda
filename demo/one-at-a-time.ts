/** The work, never twice at once: calls that come while it is done lead to it being done once more. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let following: Promise<void> | undefined
  const begin = (): Promise<void> => {
    current = work().finally(() => (current = undefined))
    return current
  }
  return () => {
    if (!current) return begin()
    following ??= current
      .catch(() => {})
      .then(() => {
        following = undefined
        return begin()
      })
    return following
  }
}
