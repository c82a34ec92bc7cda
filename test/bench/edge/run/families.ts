/**
 * The largest family, where so many of all threads are forks, each of a thread that was drawn by Zipf's law: the first is forked
 * twice as often as the second, three times as often as the third.
 */
export function hottestFamily(
  threads: number,
  forked: number,
): { readonly forks: number; readonly share: number } {
  const origins = Math.round(threads * (1 - forked))
  let harmonic = 0
  for (let rank = 1; rank <= origins; rank++) harmonic += 1 / rank
  const forks = Math.round((threads * forked) / harmonic)
  return { forks, share: (1 + forks) / threads }
}
