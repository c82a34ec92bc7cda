import { type Figures, TOO_LONG } from './figures.ts'
import { KEEPERS } from './page/api.ts'

export interface Target {
  readonly name: string
  readonly value: number
  readonly most: number
  readonly met: boolean
}

/** What was promised. Ratios within one run, since the machines differ. */
export function targets({ saves, journal, blocking, bytes, loads, forks, background }: Figures): Target[] {
  const { floor, naive, forkpoint } = saves.plain
  const frozen = saves.frozen
  return [
    target('save / raw put of what changed', forkpoint.wall / floor.wall, 4),
    target('save / raw put of the whole', forkpoint.wall / naive.wall, 1 / 3),
    target('page blocked / raw put of the whole', forkpoint.blocked / naive.blocked, 1 / 5),
    target('page blocked, frozen state', frozen.forkpoint.blocked / frozen.naive.blocked, 1 / 5),
    target(
      'longest blocking save / median one',
      (blocking.longest[0]?.sync ?? 0) / blocking.median,
      TOO_LONG,
    ),
    target('a step of a run / raw put', journal.plain.ratio, 3),
    target('each of two steps in a row / raw put', journal.two.ratio / 2, 3),
    target('a step that changes something outside / raw put', journal.external.ratio, 3),
    target('bytes handed in / final state', bytes.counts.bytesPut / bytes.state, 5),
    target('cold load / raw get', loads.cold.ratio, 2.5),
    target('50 summaries / raw getAll of 50 rows', loads.history.ratio, 3),
    ...KEEPERS.map((keeper) =>
      target(
        `p99 of a save, compaction and ${keeper} on / off`,
        background.saves[keeper].p99 / background.saves.nothing.p99,
        2,
      ),
    ),
    target('fork of a long thread / of a short one', forks.long / forks.short, 1.5),
  ]
}

const target = (name: string, value: number, most: number): Target => ({
  name,
  value,
  most,
  met: value <= most,
})
