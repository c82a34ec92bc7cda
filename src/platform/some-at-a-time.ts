/** What comes of each, in their order. No more than so many are under way at a time; where one fails, no other is begun, and none goes on behind it. */
export async function someAtATime<T, Found>(
  items: readonly T[],
  atATime: number,
  work: (item: T) => Promise<Found>,
): Promise<Found[]> {
  const found: Found[] = []
  let next = 0
  const some = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++
      try {
        found[at] = await work(items[at] as T)
      } catch (error) {
        next = items.length
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atATime }, some))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return found
}
