// The operator token and the address that it is sent to come from one place: a folder that was unpacked or cloned may contain a stranger's
// `.env` file.
import { realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import type { Source } from './env-file.ts'

/** An address of the file never gets a secret of the environment, nor the other way round: both must be from the file, or neither. */
export const isMixture = (address: Source, secret: Source): boolean =>
  (address === 'file' && secret === 'environment') || (address === 'environment' && secret === 'file')

/** A `.env` file can name any folder, and a symbolic link can lead to any. Only a token inside the working folder belongs to that folder. */
export const sourceOfTokenFile = (file: string, dataDir: Source): Source =>
  dataDir !== 'environment' && isInsideFolder(process.cwd(), file) ? 'default' : 'environment'

/** Compares the real paths, with symbolic links resolved. */
function isInsideFolder(folder: string, file: string): boolean {
  const way = relative(realpathSync(folder), realpathSync(file))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
