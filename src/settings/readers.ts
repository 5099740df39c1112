// Readers turn the text of a setting into its value. A reader throws an error whose message follows the setting's name: "must be …".
import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'
import { isWebUrl } from '../kernel/addresses/web-address.ts'

export type SettingReader<T> = (value: string) => T

export const anyText: SettingReader<string> = (value) => value

export const oneOfValues =
  <const T extends string>(...allowed: T[]): SettingReader<T> =>
  (value) => {
    if (!(allowed as string[]).includes(value)) throw new Error(`must be one of ${allowed.join(', ')}`)
    return value as T
  }

export const onOff = oneOfValues('on', 'off')

// File systems without storage behind them, by the numbers that statfs returns on Linux. Creating a folder with its parents there would
// never end.
const KERNEL_FILE_SYSTEMS = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x1cd1, // devpts
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
])

/** A folder that may not exist yet. */
export const folder: SettingReader<string> = (value) => {
  const path = resolve(value)
  let above = path
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above)
  if (KERNEL_FILE_SYSTEMS.has(statfsSync(above).type))
    throw new Error(`must be a folder on a disk; ${above} is in a file system of the kernel, which stores nothing`)
  return path
}

/** A secret that begins with one of these prefixes, which say what kind of secret it is. */
export const startingWith =
  (...starts: string[]): SettingReader<string> =>
  (value) => {
    if (!starts.some((start) => value.startsWith(start) && value.length > start.length) || /\s/.test(value))
      throw new Error(`must begin with ${starts.join(' or ')}`)
    return value
  }

/** An identifier that another service has given out. */
export const identifier: SettingReader<string> = (value) => {
  if (!/^[\w-]{1,255}$/.test(value)) throw new Error('must be letters, digits, - and _')
  return value
}

/** Identifiers that another service has given out, by our names for them. Not every name is needed. */
export const identifiersFor =
  <const T extends string>(...names: T[]): SettingReader<Partial<Record<T, string>>> =>
  (value) => {
    const found: Partial<Record<T, string>> = {}
    for (const part of value.split(',')) {
      const [given = '', id = '', ...more] = part.split(':').map((text) => text.trim())
      const name = names.find((known) => known === given)
      if (!name || more.length > 0 || !/^[\w-]{1,255}$/.test(id) || found[name] !== undefined)
        throw new Error(
          `must be a list such as ${names.map((one, at) => `${one}:price_${at + 1}`).join(',')}, or a part of it`,
        )
      found[name] = id
    }
    return found
  }

const SIGNAL = /^(search|ai-input|ai-train)=(yes|no)$/

/** The value of a Content-Signal line of robots.txt; empty for off. */
export const contentSignal: SettingReader<string> = (value) => {
  if (value === 'off') return ''
  const signals = value.split(',').map((signal) => signal.trim())
  const names = new Set(signals.map((signal) => SIGNAL.exec(signal)?.[1]))
  if (names.size !== signals.length || names.has(undefined))
    throw new Error('must be off or a list such as search=yes, ai-input=yes, ai-train=no')
  return signals.join(', ')
}

export const positive: SettingReader<number> = (value) => {
  const number = Number(value)
  if (!Number.isFinite(number) || number <= 0) throw new Error('must be a number greater than 0')
  return number
}

/** A number that may have decimals. */
export const numberFrom =
  (least: number, most: number): SettingReader<number> =>
  (value) => {
    const number = Number(value)
    if (!(number >= least && number <= most)) throw new Error(`must be a number from ${least} to ${most}`)
    return number
  }

export const origin: SettingReader<string> = (value) => {
  const url = URL.parse(value)
  if (!url || !isWebUrl(url) || url.pathname !== '/' || url.search || url.hash)
    throw new Error('must be an origin such as https://catalog.example.com, without a path')
  return url.origin
}

export const address =
  (...schemes: string[]): SettingReader<string> =>
  (value) => {
    const url = URL.parse(value)
    if (!url || !schemes.includes(url.protocol.slice(0, -1)))
      throw new Error(`must be an address that starts with ${schemes.join(':// or ')}://`)
    return value
  }

/** The mail address alone, without a name before it. */
export const mailAddress: SettingReader<string> = (value) => {
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(value) || value.length > 254)
    throw new Error('must be an e-mail address such as catalog@example.com')
  return value
}

/** The base address of an API; its key has a setting of its own. */
export const endpoint: SettingReader<string> = (value) => {
  const url = URL.parse(value)
  if (!url || !isWebUrl(url) || url.search || url.hash)
    throw new Error('must be an address such as https://api.example.com/v1, without a user name, query or fragment')
  return value
}

export const wholeNumber =
  (least: number, most: number): SettingReader<number> =>
  (value) => {
    const number = Number(value)
    if (!/^\d{1,6}$/.test(value) || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}`)
    return number
  }
// A hundred years.
const MOST_DAYS = 36_500

/** For how many whole days rows are kept; 0 keeps them for good. */
export const daysOrForGood =
  (least: number): SettingReader<number> =>
  (value) => {
    const number = Number(value)
    if (!/^\d{1,5}$/.test(value) || (number !== 0 && number < least) || number > MOST_DAYS)
      throw new Error(`must be a whole number of days from ${least} to ${MOST_DAYS}, or 0 to keep for good`)
    return number
  }

export const port = wholeNumber(1, 65_535)
export const seconds = wholeNumber(1, 99_999)
export const processes = wholeNumber(1, 64)
// At most 3 seconds, because a whole stop must end within ten.
export const drainSeconds = wholeNumber(0, 3)

export const networks: SettingReader<string[]> = (value) =>
  value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((network) => {
      const range = network.includes('/') ? network : `${network}/${network.includes(':') ? 128 : 32}`
      if (!ipaddr.isValidCIDR(range))
        throw new Error(
          `must be a comma-separated list of networks such as 10.0.0.0/8; ${JSON.stringify(network)} is none`,
        )
      return range
    })

/** Host names in the form in which browsers send them. */
export const hostNames: SettingReader<string[]> = (value) =>
  value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((host) => {
      const name = domainToASCII(host)
      if (!/^[\p{L}\p{N}._-]+$/u.test(host) || name === '')
        throw new Error(
          `must be a comma-separated list of host names such as catalog.internal, without a port; ${JSON.stringify(host)} is none`,
        )
      return name
    })

export const secret =
  (least: number): SettingReader<string> =>
  (value) => {
    if (value.length < least) throw new Error(`must have at least ${least} characters`)
    return value
  }
