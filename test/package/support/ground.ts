import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'

/** What a fixture is given: a folder in which the packed package is installed, and a browser. */
export interface Ground {
  readonly folder: string
  readonly browser: Browser
}

/** One way to use the package, by what it has to show. */
export type Fixture = (ground: Ground) => Promise<void> | void

export const tools = fileURLToPath(new URL('../', import.meta.url))

/** A program that one of the tools brings. */
export const program = (...path: readonly string[]): string => join(tools, 'node_modules', ...path)

/** A tool, as it is installed beside the fixtures; its types are not. */
export async function tool<Tool>(name: string): Promise<Tool> {
  const loaded: unknown = await import(
    pathToFileURL(createRequire(join(tools, 'package.json')).resolve(name)).href
  )
  return loaded as Tool
}

/** Runs a program to its end, and gives what it printed. */
export async function run(file: string, args: readonly string[], cwd: string, env = {}): Promise<string> {
  try {
    const options = { cwd, timeout: 280_000, env: { ...process.env, ...env } }
    const { stdout } = await promisify(execFile)(file, args, options)
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error([file, ...args].join(' ') + `\n${stdout}${stderr}`, { cause: error })
  }
}
