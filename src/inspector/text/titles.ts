/** What an app calls its threads. */
export class Titles {
  #titles: ReadonlyMap<string, string> = new Map()

  set(titles: ReadonlyMap<string, string>): void {
    this.#titles = titles
  }

  of(thread: string): string | undefined {
    return this.#titles.get(thread)
  }

  /** What it is shown as. */
  nameOf(thread: string): string {
    return this.of(thread) ?? thread
  }
}
