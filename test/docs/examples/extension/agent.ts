import type { Loop } from 'forkpoint'

export interface Research {
  readonly questions: readonly string[]
  answers: string[]
}

export async function agent(loop: Loop<Research>): Promise<void> {
  const { questions, answers } = loop.state
  for (const question of questions.slice(answers.length)) {
    answers.push(await loop.step(question, () => think(question))) // done once, whatever dies
    await loop.save()
  }
}

/** Stands for your model. */
async function think(question: string): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 500))
  return `${question} Yes.`
}
