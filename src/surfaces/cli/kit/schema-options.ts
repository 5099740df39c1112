// Command options made from the declared schemas, so that names, values and descriptions are declared once.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { TProperties } from 'typebox'
import { parsedJson } from '../../../kernel/values/text.ts'

/** The parts of a field's JSON schema that the command line reads; the TypeBox type does not contain them. */
export interface OptionField {
  type?: string | string[]
  enum?: (string | null)[]
  format?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  items?: OptionField
  properties?: Record<string, OptionField>
}

// Stands for null among the parsed options, because commander replaces a null value with an empty text.
const NONE = Symbol('none')

/** Adds an option for each field: `webhookUrl` becomes `--webhook-url <text>`, and commander converts the name back. */
export function addFields(command: Command, fields: TProperties, required: readonly string[] = []): Command {
  for (const [name, field] of Object.entries(fields)) {
    const option = optionOf(name, field as OptionField)
    command.addOption(option.makeOptionMandatory(required.includes(name)))
  }
  return command
}

/** Like `addFields`, for the filters of a list: a boolean filter also gets the option `--no-…`. */
export const addFilters = (command: Command, fields: TProperties): Command =>
  addOpposites(addFields(command, fields), fields, () => true)

/** Adds the option `--no-…` for each boolean field that `isNeeded` accepts. */
export function addOpposites(
  command: Command,
  fields: TProperties,
  isNeeded: (field: OptionField) => boolean,
): Command {
  for (const [name, field] of Object.entries(fields as Record<string, OptionField>))
    if (field.type === 'boolean' && isNeeded(field))
      command.addOption(new Option(`--no-${dashed(name)}`, `The opposite of --${dashed(name)}.`))
  return command
}

/** The values of the named options, for the body or the query of a call. Options that the operator did not give are left out. */
export function givenOptions(command: Command, names: Iterable<string>): Record<string, unknown> {
  const options = command.opts()
  const value = (name: string) => (options[name] === NONE ? null : options[name])
  return Object.fromEntries([...names].filter((name) => options[name] !== undefined).map((name) => [name, value(name)]))
}

function optionOf(name: string, field: OptionField): Option {
  const { description = '' } = field
  const flag = `--${dashed(name)}`
  const types = [field.type ?? []].flat()
  if (types.includes('boolean')) return new Option(flag, description)
  if (field.enum)
    return new Option(`${flag} <${name}>`, description).choices(field.enum.filter((value) => value !== null))
  if (types.includes('integer'))
    return new Option(`${flag} <number>`, description).argParser((text) => wholeNumberOption(text, field))
  if (types.includes('array') && field.items?.type === 'string')
    return new Option(
      `${flag} <names>`,
      `${description} Names with commas between them; an empty text means none.`,
    ).argParser((text) => text.split(',').flatMap((name) => name.trim() || []))
  if (types.some((type) => ['array', 'object', 'number'].includes(type)))
    return new Option(`${flag} <json>`, description).argParser(readJson)
  if (!types.includes('null')) return new Option(`${flag} <text>`, description)
  return new Option(`${flag} <text>`, `${description} An empty text means none.`).argParser((text) =>
    text === '' ? NONE : text,
  )
}

/** `webhookUrl` becomes `webhook-url`. */
export const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export function wholeNumberOption(
  text: string,
  { minimum = 1, maximum = Number.MAX_SAFE_INTEGER }: OptionField,
): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < minimum || number > maximum)
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
  return number
}

function readJson(text: string): unknown {
  const value = parsedJson(text)
  if (value === undefined) throw new InvalidArgumentError('It must be JSON.')
  return value
}
