/** Where somebody who reads wants to be: at the end, whatever comes, or at a place that they have gone to. */
export class Reader {
  readonly #near: number
  #isAtEnd = true
  #isHeld = false
  #isMoving = false
  #top = 0
  #height = 0
  #room = 0

  /** How near, in pixels, is at the end. */
  constructor(near: number) {
    this.#near = near
  }

  /** The end is to be seen as it grows. */
  get followsEnd(): boolean {
    return this.#isAtEnd && !this.#isHeld
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  goToEnd(): void {
    this.#isAtEnd = true
    this.#isHeld = false
  }

  leaveEnd(): void {
    this.#isAtEnd = false
  }

  /** Something is opened where it stands: it stays there until there is a new turn. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
  }

  /** Until it is called off. */
  watch(element: HTMLElement): () => void {
    const end = new AbortController()
    const options = { signal: end.signal, passive: true }
    const onMove = (): void => void (this.#isMoving = true)
    for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const)
      element.addEventListener(name, onMove, options)
    element.addEventListener('scroll', () => this.#look(element), options)
    return () => end.abort()
  }

  /** Away from the end leads only a reader: by hand, or, where nothing else has changed, in another way. */
  #look({ scrollTop, scrollHeight, clientHeight }: HTMLElement): void {
    const isNear = scrollHeight - scrollTop - clientHeight <= this.#near
    const isStill = scrollHeight === this.#height && clientHeight === this.#room
    const isBack = scrollTop < this.#top - 1
    if (isNear) this.#isAtEnd = true
    else if (isBack && (this.#isMoving || isStill)) this.#isAtEnd = false
    if (isNear && this.#isMoving) this.#isHeld = false
    if (isNear || isBack) this.#isMoving = false
    this.#top = scrollTop
    this.#height = scrollHeight
    this.#room = clientHeight
  }
}
