import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole suites, mostly short as files, and what waits for long. */
const LONG =
  /suite|browser\/(checkpointer|written-behind|worker-lost|assistant-ui)|model\.test|on-node\.test|chat\/access|operations\/shapes/

/** These begin first: else one of them is left at the end, and a processor has nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
