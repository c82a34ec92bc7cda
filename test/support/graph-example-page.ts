/** The page of docs/langgraph.md, or the one without a saver that keeps. */
import { page } from '../docs/examples/langgraph/page.ts'
import { page as without } from '../docs/examples/langgraph/without.ts'

export const play = ({ isKept }: { isKept: boolean }): Promise<string> => (isKept ? page : without)('Lisbon')
