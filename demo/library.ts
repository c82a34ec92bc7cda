/** All that the agent can search in. */
export interface Page {
  readonly title: string
  readonly text: string
}

export const library: readonly Page[] = [
  {
    title: 'The ship’s bell',
    text:
      'The bell was struck every half hour, eight times at the end of a watch. ' +
      'Whoever turned the sandglass also rang it.',
  },
  {
    title: 'The sandglass',
    text:
      'A half-hour sandglass stood by the helm and was turned by a boy. ' +
      'In damp air the sand ran late, and a tired boy turned it early.',
  },
  {
    title: 'The marine chronometer',
    text:
      'Harrison’s chronometer kept the time of the home port through heat, salt and rolling. ' +
      'It lost five seconds on the way to Jamaica.',
  },
  {
    title: 'Lunar distances',
    text:
      'The moon was read like the hand of a clock against the stars. ' +
      'The tables saved a navigator four hours of sums, and left him half an hour.',
  },
  {
    title: 'The log line',
    text:
      'A board on a knotted line told the speed of the ship. ' +
      'Knots were counted while a short sandglass of 28 seconds ran out.',
  },
  {
    title: 'Dead reckoning',
    text:
      'Course, speed and time, laid end to end on the chart, gave a position. ' +
      'Every error stayed in it until land was seen.',
  },
  {
    title: 'The noon sight',
    text:
      'At noon the height of the sun gave the latitude, and local time with it. ' +
      'Under cloud there was neither.',
  },
  {
    title: 'The traverse board',
    text:
      'A board with pegs kept each half hour of the watch: its course and its speed. ' +
      'At the end of the watch it was copied into the log and cleared.',
  },
  {
    title: 'The wreck at Scilly',
    text:
      'In 1707 four ships were lost because the fleet took its position for another. ' +
      'The prize for longitude came out of that error.',
  },
]
