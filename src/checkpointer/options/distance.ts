/** How many letters must be put in, left out or replaced to make one word of the other. */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const above = row
    row = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const replaced = (above[j] ?? 0) + (letter === to[j] ? 0 : 1)
      row.push(Math.min(replaced, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1))
    }
  }
  return row[to.length] ?? 0
}
