import { expect, it } from 'vitest'
import { atRest, chats, lastTurn, say, turns } from './support/chats.ts'

const chat = chats()

it('has the inspector beside the chat, which follows it live, and goes on from a checkpoint that is loaded there', async () => {
  const page = await chat.open({ search: '?pace=1', viewport: { width: 1440, height: 900 } })
  const scripts = () =>
    page.evaluate(
      () =>
        performance.getEntriesByType('resource').filter(({ name }) => /\/(app|inspector)-/.test(name)).length,
    )
  await say(page, 'What is 2 + 3?')
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  await atRest(page)
  expect(await scripts()).toBe(0)
  await page.getByRole('button', { name: 'Inspector' }).click()
  const graph = page.getByRole('tree', { name: 'Checkpoints' })
  await graph.getByRole('treeitem', { name: /^5 model/ }).waitFor()
  expect(await scripts()).toBeGreaterThan(0)
  await say(page, 'Remember that it was five')
  await lastTurn(page).getByText('Noted.').waitFor()
  await graph.getByRole('treeitem', { name: /^9 model/ }).waitFor()
  await atRest(page)
  await graph.getByRole('treeitem', { name: /^5 model/ }).click()
  await page.getByRole('button', { name: 'Load', exact: true }).click()
  await lastTurn(page).getByText('It comes to 5.').waitFor()
  await say(page, 'List my notes')
  await lastTurn(page).getByText('There are no notes.').waitFor()
})

it('shows what others say as text, whatever it is', async () => {
  const page = await chat.open({ search: '?pace=1' })
  const evil = '<img src=x onerror=alert(1)><script>alert(2)</script> [a](javascript:alert(3))'
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await say(page, `Remember ${evil}`)
  await lastTurn(page).getByText('Noted.').waitFor()
  await atRest(page)
  await turns(page).first().getByText(evil).waitFor()
  expect(await page.locator('img, .transcript script, .transcript a, [onerror]').count()).toBe(0)
  await page.getByRole('searchbox').fill('onerror')
  await page.getByText(/\d found/).waitFor()
  expect(await page.locator('img, [onerror]').count()).toBe(0)
  // Nobody has tried, and it would be refused: nobody can make markup of a text here.
  expect(chat.complaints()).toEqual([])
  const refused = await page.evaluate(() => {
    try {
      document.createElement('div').innerHTML = '<b>bold</b>'
      return 'made'
    } catch (error) {
      return error instanceof TypeError ? 'refused' : String(error)
    }
  })
  expect(refused).toBe('refused')
  expect(dialogs).toEqual([])
})
