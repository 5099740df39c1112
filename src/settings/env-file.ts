// Reads the `.env` file in the working folder, and tells which settings are from it.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
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

/**
 * Whether an address and a secret come from different places. Then the secret is not sent: a folder that was unpacked or cloned may
 * contain an attacker's `.env` file.
 */
export const isMixture = (address: Source, secret: Source): boolean =>
  (address === 'file' && secret === 'environment') || (address === 'environment' && secret === 'file')

/**
 * Where an operator token counts as coming from that is read from a file. In the working folder it counts as `default`, which is sent to any
 * address. Elsewhere it counts as `environment`, because a `.env` file or a symbolic link may name any folder of this machine.
 */
export const sourceOfTokenFile = (file: string, dataDir: Source): Source =>
  dataDir !== 'environment' && isInsideFolder(process.cwd(), file) ? 'default' : 'environment'

/** Compares the paths after symbolic links are resolved. */
function isInsideFolder(folder: string, file: string): boolean {
  const path = relative(realpathSync(folder), realpathSync(file))
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
