import { postgresSchema } from 'forkpoint/storage/postgres'
import { expect, it } from 'vitest'
import { Document, engineVersions } from '../support/document.ts'

const document = new Document('postgres.md')

it('shows the schema as it is', () => {
  expect(document.block('sql').trim()).toBe(postgresSchema.map((statement) => `${statement};`).join('\n'))
})

it('names the versions that are tested', () => {
  const names = ['pg', '@electric-sql/pglite', '@neondatabase/serverless']
  expect(document.tested()).toEqual(names.map((name) => [name, engineVersions()[name]]))
})
