// Where the service is and who asks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { ConfigError, loadClientConfig, origin } from '../../config.ts'
import { CommandError } from './output.ts'

export interface Connection {
  /** Origin of the service. */
  url: string
  token: string
  /** Where the token came from, in words; the token itself is never shown. */
  tokenSource: string
}

export function connectionOf(command: Command): Connection {
  const config = clientConfig()
  const url: string = command.optsWithGlobals().url ?? config.CATALOG_URL
  if (config.ADMIN_TOKEN) return { url, token: config.ADMIN_TOKEN, tokenSource: 'from ADMIN_TOKEN' }
  const file = join(config.DATA_DIR, 'admin-token')
  return { url, token: tokenIn(file), tokenSource: `from ${file}` }
}

export function readOrigin(text: string): string {
  try {
    return origin(text)
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`)
  }
}

function clientConfig() {
  try {
    return loadClientConfig()
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error
  }
}

function tokenIn(file: string): string {
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (token !== '') return token
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM')
      throw new CommandError(
        `No operator token: ${file} may not be read. Set ADMIN_TOKEN, or run this as the service's user.`,
      )
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  }
  throw new CommandError(
    `No operator token: there is none in ${file}. Set ADMIN_TOKEN to the service's operator token, or DATA_DIR to its data folder.`,
  )
}
