import { expect, it } from 'vitest'
import { Document, engineVersions } from '../support/document.ts'

it('names the versions that are tested', () => {
  const names = ['ioredis', '@upstash/redis']
  expect(new Document('redis.md').tested()).toEqual(names.map((name) => [name, engineVersions()[name]]))
})
