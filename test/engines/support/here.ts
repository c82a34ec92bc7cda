import { fileURLToPath } from 'node:url'

/** A file by where it stands from another. */
export const here = (from: string, file: string): string => fileURLToPath(new URL(file, from))
