// Secrets that the service generates and keeps in files that only its own user may read.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from './data-folder.ts'

export const SHORTEST_SECRET = 16

class UnusableSecret extends Error {
  readonly path: string
  constructor(path: string) {
    super(`${path} holds no usable secret. Put it back from a backup (a new operator token is made when there is none)`)
    this.path = path
  }
}

/** Reads the secret from a file, and generates it first if the file does not exist. Two processes that start at once get the same secret. */
export function secretInFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (!existsSync(path)) makeSecret(path)
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < SHORTEST_SECRET) throw new UnusableSecret(path)
  return secret
}

/** Writes the whole file or none, also after a power cut: keys that were hashed with a lost pepper would be useless. */
function makeSecret(path: string): void {
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { flag: 'w', mode: 0o600, flush: true })
  try {
    linkSync(temporary, path)
    syncFolder(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Compares in constant time, so that timing reveals nothing about the secret. */
export function createSecretMatcher(secret: string): (given: string) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(secret)
  return (given) => timingSafeEqual(digest(given), expected)
}
