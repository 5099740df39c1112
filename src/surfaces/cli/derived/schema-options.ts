// Command options made from the declared schemas, so that names, values and descriptions are declared once.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { TInteger, TProperties } from 'typebox'
import { versionGuard } from '../../../features/audit/schema.ts'
import { listPage } from '../../../kernel/paging.ts'

interface Field {
  type: string | string[]
  enum?: (string | null)[]
  description: string
  minimum?: number
  maximum?: number
  examples?: unknown[]
}

// Stands for null, because commander treats null as an empty text.
const NONE = Symbol('none')

/** `webhookUrl` becomes `--webhook-url <text>`; commander converts the name back. */
export function addFields(command: Command, fields: TProperties, required: readonly string[] = []): Command {
  for (const [name, field] of Object.entries(fields)) {
    const option = optionOf(name, field as Field)
    command.addOption(option.makeOptionMandatory(required.includes(name)))
  }
  return command
}

/** The same for the filters of a list. A boolean also has the option `--no-…`. */
export function addFilters(command: Command, fields: TProperties): Command {
  addFields(command, fields)
  for (const [name, field] of Object.entries(fields))
    if ((field as Field).type === 'boolean')
      command.addOption(new Option(`--no-${dashed(name)}`, `The opposite of --${dashed(name)}.`))
  return command
}

/** The options that were given among the named fields, as the body or the query of a call. */
export function givenOptions(command: Command, names: Iterable<string>): Record<string, unknown> {
  const options = command.opts()
  const value = (name: string) => (options[name] === NONE ? null : options[name])
  return Object.fromEntries([...names].filter((name) => options[name] !== undefined).map((name) => [name, value(name)]))
}

/** Refuses a change without any field, because the operator must have forgotten an option. */
export function changesGiven(
  command: Command,
  names: Iterable<string>,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const changes = { ...givenOptions(command, names), ...more }
  if (Object.keys(changes).length === 0) command.error('error: nothing to change was given')
  return changes
}

// The type of a TypeBox schema does not contain its numbers.
const pageSize = listPage.limit as TInteger & { default: number; maximum: number }
export const PAGE_SIZE = pageSize.default
export const LARGEST_PAGE = pageSize.maximum

export const addPaging = (command: Command): Command => addFields(command, listPage)
export const pagingGiven = (command: Command) => givenOptions(command, Object.keys(listPage))

/** `--if-version`, for changes that must not overwrite a change made in the meantime. */
export const addVersionGuard = (command: Command): Command => addFields(command, versionGuard.parameters)
export const guardGiven = (command: Command) => givenOptions(command, Object.keys(versionGuard.parameters))

/** `--ban` and `--unban` as the field `banned`. */
export const addBan = (command: Command, whom: string): Command =>
  command
    .addOption(new Option('--ban', `Ban the ${whom}: every key stops at once.`).implies({ banned: true }))
    .addOption(new Option('--unban', 'Lift the ban.').implies({ banned: false }).conflicts('ban'))

function optionOf(name: string, field: Field): Option {
  const flag = `--${dashed(name)}`
  const types = [field.type].flat()
  if (types.includes('boolean')) return new Option(flag, field.description)
  if (field.enum)
    return new Option(`${flag} <${name}>`, field.description).choices(field.enum.filter((value) => value !== null))
  if (types.includes('integer'))
    return new Option(`${flag} <number>`, field.description).argParser((text) => wholeNumber(text, field))
  if (types.includes('array'))
    return new Option(
      `${flag} <names>`,
      `${field.description} Names with commas between them; an empty text means none.`,
    ).argParser((text) => text.split(',').flatMap((name) => name.trim() || []))
  if (!types.includes('null')) return new Option(`${flag} <text>`, field.description)
  return new Option(`${flag} <text>`, `${field.description} An empty text means none.`).argParser((text) =>
    text === '' ? NONE : text,
  )
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function wholeNumber(text: string, { minimum = 1, maximum = Number.MAX_SAFE_INTEGER }: Field): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < minimum || number > maximum)
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  return number
}
