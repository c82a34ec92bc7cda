import { vi } from 'vitest'

const now = Date.now.bind(Date)

/** What is done meanwhile is dated by a clock that is off by so much. */
export async function offBy<T>(skew: number, work: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + skew)
  try {
    return await work()
  } finally {
    clock.mockRestore()
  }
}
