import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { richStorage, typesOfRich } from '../faults/support/rich.ts'
import { asRead } from './as-read.ts'
import { dump } from './dump.ts'

const reader = fileURLToPath(new URL('reader.py', import.meta.url))

function python(input: string): { readonly out: string; readonly error: string } {
  const ran = spawnSync('python3', [reader], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (ran.error)
    throw new Error('The second reader needs python3: install it (apt-get install python3).', {
      cause: ran.error,
    })
  return { out: ran.stdout, error: ran.stderr }
}

it('a reader in another language, written from docs/format.md, reads the same', async () => {
  const storage = memoryStorage()
  await richStorage(storage)
  const checkpointer = await openCheckpointer({ name: 'rich', storage, types: typesOfRich })
  const { out, error } = python(await dump(storage))
  expect(error).toBe('')
  const read = JSON.parse(out) as Record<string, Record<string, unknown>>
  const wanted = await asRead(checkpointer)
  for (const [id, namespaces] of Object.entries(wanted))
    for (const [namespace, its] of Object.entries(namespaces))
      // As text: the order of keys is part of a state.
      expect(JSON.stringify(read[id]?.[namespace]), `${id}/${namespace}`).toBe(JSON.stringify(its))
  expect(new Set(Object.keys(read))).toEqual(new Set(Object.keys(wanted)))
})

it('and refuses a dump in which one character was changed', async () => {
  const storage = memoryStorage()
  await richStorage(storage)
  const lines = (await dump(storage)).split('\n')
  const at = lines.findIndex((line) => line.includes('"checkpoints"'))
  lines[at] = (lines[at] as string).replace('createdAt', 'createdAu')
  expect(python(lines.join('\n')).error).toContain('does not fit its sum')
})
