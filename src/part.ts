import { CheckpointerError } from './errors.ts'

/** Loads a part of this package that is a file of its own. */
export async function part<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new CheckpointerError(
      'UNSUPPORTED',
      'A part of forkpoint could not be loaded. If the app was deployed anew, reload the page; where there is no import(), as in a service worker, have the bundler make one file.',
      { outcome: 'none', cause },
    )
  }
}
