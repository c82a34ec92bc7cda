/** For what no plan fits. */
export const about = (
  asked: string,
): string => `I am a script, not a model: nothing of “${short(asked)}” left this page, and I know only a few tricks.

- **Arithmetic**: “What is 17% of 4,250?”
- **Notes**: “Remember that the ferry leaves at 9”, then “List my notes”
- **Code**: “Run: [1, 2, 3].map((n) => n ** 2)”
- **A timer**: “Wait for 10 s”
- **The web**: “Fetch https://…”, once you have allowed it
- **A long answer**: “Tell me a story”; reload the page in its middle

Choose another model above, and I step aside.`

const short = (text: string): string => {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

export const story = `The keeper of the lighthouse wrote everything down. Each evening, before he lit the lamp, he opened the log and put in one line: the wind, the ships, the oil that was left. He did not write the whole history of the lighthouse anew each night. He wrote what had changed.

One autumn a storm took the door, and the sea came as far as the stairs. The keeper had been in the middle of a sentence. In the morning he dried the page by the stove and read: “Wind north-west, two schooners, oil for”. He knew what he had wanted to say, because the line above it said how much there had been, and he finished the sentence where it had stopped.

In the spring another keeper came, who disagreed about a schooner. They did not tear out the page. The new one took a second book, wrote on its first line “as in the other book, up to the third of March”, and went on from there as he had seen it. For years the two books lay side by side. Whoever wanted to know what had happened could read either, and nothing in one was ever spoiled by the other.

When the lighthouse was given up, a clerk came to fetch the log. He had expected a cupboard of paper, and was shown two thin books. “Is that all?” he asked. “It is all that happened,” said the keeper. “The rest was always the same.”

The clerk took the books to the town, where they are still. On a clear night one can see the place where the lamp was; and in the log, under the right date, that it was lit.`
