import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { randomFrom, type Figures, type Ground, type Proof } from './proof.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))

/** Every proof by name: each is a file of this folder whose default export it is. */
export async function proofs(): Promise<Map<string, Proof>> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !/^main\.|\.test\./.test(name))
  const found = new Map<string, Proof>()
  for (const file of files.sort()) {
    const { default: proof } = (await import(pathToFileURL(join(folder, file)).href)) as { default: Proof }
    found.set(basename(file, '.ts'), proof)
  }
  return found
}

export interface RunOptions {
  readonly ground: Ground
  readonly rounds: number
  readonly seed: number
  readonly say: (line: string) => void
}

export async function runProof(proof: Proof, { ground, rounds, seed, say }: RunOptions): Promise<Figures> {
  const scratch = mkdtempSync(join(tmpdir(), 'forkpoint-faults-'))
  try {
    return await proof.run({ rounds, ground, random: randomFrom(seed), say, folder: scratch })
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

export const lineOf = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Math.round(value * 1000) / 1000 : value}`)
    .join(', ')
