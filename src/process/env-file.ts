// A `.env` file in the working folder, and which settings came from it.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export const ENV_FILE = '.env'

export type Lines = Record<string, string | undefined>

export const linesOfFile = (): Lines => (existsSync(ENV_FILE) ? parseEnv(readFileSync(ENV_FILE, 'utf8')) : {})

/** Where a setting came from: this process's environment, a `.env` file in the working folder, or neither. */
export type Source = 'environment' | 'file' | 'default'

export function sourceOf(name: string, environment: Lines, inFile: Lines): Source {
  const own = environment[name]
  if (!(own ?? inFile[name])?.trim()) return 'default'
  return own === undefined ? 'file' : 'environment'
}
