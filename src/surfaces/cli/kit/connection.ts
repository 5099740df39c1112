// The address of the service and the operator token for it.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import {
  type CommandSettings,
  ConfigError,
  isMixture,
  origin,
  readCommandSettings,
  type Source,
  sourceOfTokenFile,
} from '../../../config.ts'
import { CommandError } from './output.ts'

export interface Connection {
  /** Origin of the service. */
  url: string
  token: string
  /** Where the token comes from, such as `from ADMIN_TOKEN`; messages show this and never the token. */
  tokenSource: string
}

export function connectionOf(command: Command): Connection {
  const settings = commandSettings()
  const token = tokenOf(settings)
  // The operator named this address on the command line, so the token may be sent there, wherever it comes from.
  const urlOption: string | undefined = command.optsWithGlobals().url
  if (urlOption !== undefined) return { url: urlOption, ...token }
  const address = addressOf(settings)
  refuseMixture(address, token)
  return { url: address.url, ...token }
}

interface Address {
  url: string
  /** The name of the setting that the address comes from. */
  setting: string
  from: Source
}

function addressOf({ config, given, sourceOf }: CommandSettings): Address {
  const setting = ['CATALOG_URL', 'PUBLIC_URL'].find(given) ?? 'PORT'
  try {
    const url = origin(given('CATALOG_URL') ?? config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`)
    return { url, setting, from: sourceOf(setting) }
  } catch (error) {
    throw new CommandError(`CATALOG_URL ${(error as Error).message}.`)
  }
}

interface Token extends Pick<Connection, 'token' | 'tokenSource'> {
  from: Source
}

function tokenOf({ config, sourceOf }: CommandSettings): Token {
  if (config.ADMIN_TOKEN)
    return { token: config.ADMIN_TOKEN, tokenSource: 'from ADMIN_TOKEN', from: sourceOf('ADMIN_TOKEN') }
  const file = join(config.DATA_DIR, 'admin-token')
  const token = tokenIn(file)
  return { token, tokenSource: `from ${file}`, from: sourceOfTokenFile(file, sourceOf('DATA_DIR')) }
}

/**
 * Throws if only one of address and token comes from the `.env` file in the working folder. That file may be a stranger's, and the
 * operator's token must not be sent to an address that a stranger wrote.
 */
function refuseMixture({ url, setting, from }: Address, token: Token): void {
  if (!isMixture(from, token.from)) return
  const file = resolve('.env')
  if (from === 'file')
    throw new CommandError(
      `Refused: nothing was sent. The address ${url} is ${setting} in ${file}, and the operator token ${token.tokenSource} is not of that file or folder. Set CATALOG_URL in the environment, or add --url ${url}, if the token belongs there.`,
    )
  throw new CommandError(
    `Refused: nothing was sent. The operator token ${token.tokenSource} is in ${file}, and the address ${url} is ${setting} in the environment. Set ADMIN_TOKEN in the environment, or add --url ${url}, if the token belongs there.`,
  )
}

export function readOrigin(text: string): string {
  try {
    return origin(text)
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`)
  }
}

export function commandSettings(): CommandSettings {
  try {
    return readCommandSettings()
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
