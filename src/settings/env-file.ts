// The `.env` file in the working folder, and which settings are from it.
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export const ENV_FILE = '.env'

export type Variables = Record<string, string | undefined>

export const readEnvFile = (): Variables => (existsSync(ENV_FILE) ? parseEnv(readFileSync(ENV_FILE, 'utf8')) : {})

/** Where the value of a setting is from: this process's environment, the `.env` file, or neither. */
export type Source = 'environment' | 'file' | 'default'

export function sourceOf(name: string, environment: Variables, inFile: Variables): Source {
  const own = environment[name]
  if (!(own ?? inFile[name])?.trim()) return 'default'
  return own === undefined ? 'file' : 'environment'
}
