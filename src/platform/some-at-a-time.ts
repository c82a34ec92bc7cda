/** What comes of each, in their order. No more than so many are under way at a time. */
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
      found[at] = await work(items[at] as T)
    }
  }
  await Promise.all(Array.from({ length: atATime }, some))
  return found
}
