import { expect, it } from 'vitest'
import { BROWSER_GROUNDS } from '../support/proof.ts'
import { proofs } from '../support/run.ts'
import { shortProofs } from '../support/short-forms.ts'

it('every proof runs in each browser, or says why it does not', async () => {
  for (const [name, { on, elsewhere = {}, shortElsewhere }] of await proofs()) {
    expect(
      shortElsewhere?.on.filter((ground) => on.indexOf(ground) < 1) ?? [],
      `${name} says twice where its short form runs, or says where it cannot`,
    ).toEqual([])
    const needsNone = on.length === 1 && on[0] === 'node'
    const unsaid = BROWSER_GROUNDS.filter((ground) => !on.includes(ground) && !elsewhere[ground])
    expect(needsNone ? [] : unsaid, name).toEqual([])
    expect(
      on.filter((ground) => ground in elsewhere),
      name,
    ).toEqual([])
  }
})

await shortProofs('on Node')
