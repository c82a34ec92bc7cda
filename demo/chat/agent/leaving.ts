/** So long may a page live on whose connections were taken from it already. */
const GRACE_MS = 500

/**
 * A page that goes takes its connections along, and may hear of that before it is gone. What breaks off then has not
 * failed: whoever comes next goes on with it. So a failure counts when the page is still there a moment later.
 */
export async function unlessLeaving<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await new Promise((resolve) => void setTimeout(resolve, GRACE_MS))
    throw error
  }
}
