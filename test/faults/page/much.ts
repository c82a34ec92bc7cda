/** In the page itself, where all that it takes can be seen. */
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { carryMuch, fillMuch } from '../support/much.ts'

let page: { readonly from: Checkpointer; readonly to: Checkpointer } | undefined

export async function fillPage(name: string, megabytes: number): Promise<number> {
  const open = (as: string): Promise<Checkpointer> => openCheckpointer({ name: as, worker: false })
  const filling = await open(name)
  const saves = await fillMuch(filling, megabytes)
  await filling.close()
  page = { from: await open(name), to: await open(`${name} again`) }
  return saves
}

export async function carryPage(): Promise<number> {
  if (!page) throw new Error('nothing is filled')
  return carryMuch(page.from, page.to, () => {})
}
