/** Beyond this, in the year 2109, a number has no room for what tells neighbours apart. */
const MOST_CLOCK = 2 ** 42
/** With the room for what is dated after that, here and elsewhere. No write is said to be made later. */
export const MOST_MADE = MOST_CLOCK + 2 ** 40

/** Of a clock, or of what comes from elsewhere: what is made after it can be dated after it. */
export const countable = (time: number): number => (time > MOST_MADE ? MOST_CLOCK : time)
