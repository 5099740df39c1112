// Makes a command from an operation: its arguments and options, the call, and what is printed.
import { type Command, Option } from 'commander'
import type { TProperties, TSchema } from 'typebox'
import { versionGuard } from '../../../features/audit/schema.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { listPage, requiredFields } from '../../../kernel/schema.ts'
import { callOperation } from '../kit/client.ts'
import { confirm, examples, printAnswer, say } from '../kit/output.ts'
import { addFields, addFilters, addOpposites, givenOptions, type OptionField } from '../kit/schema-options.ts'
import type { Arguments, Declared, FieldForm, Given } from './declared.ts'
import { printBySchema } from './print-answer.ts'

/** `pathArguments`: how the group describes the parameters in the paths of its operations. */
export function addCommand<T>(
  group: Command,
  operation: RoutedOperation,
  declared: Declared<T>,
  pathArguments: Arguments,
): void {
  const name = declared.name ?? commandName(operation)
  const command = name === '' ? group : group.command(name, { isDefault: declared.isDefault })
  if (declared.alias) command.alias(declared.alias)
  if (name !== '') describe(command, operation, declared)
  const argumentNames = addArguments(command, operation, declared, pathArguments)
  const optionFields = addOptions(command, operation, declared, argumentNames)
  command.action(async (...argumentValues: unknown[]) => {
    const given = readGiven(command, operation, declared, { argumentNames, argumentValues, ...optionFields })
    if (declared.asks && !command.opts().yes) await confirm(command, declared.asks(given))
    const data = await (declared.perform?.(given) ?? send<T>(given, await declared.prepare?.(given)))
    printAnswer(command, data, () => {
      if (declared.says) say(declared.says(data, given))
      if (declared.prints) declared.prints(data, given)
      else if (!declared.says) printBySchema(operation.data, data, given)
    })
    if (declared.fails?.(data)) process.exitCode = 1
  })
}

function describe<T>(command: Command, operation: RoutedOperation, declared: Declared<T>): void {
  command.description(declared.description ?? `${operation.summary}.`)
  if (declared.examples) command.addHelpText('after', examples(...declared.examples))
  if (declared.note) command.addHelpText('after', `\n${declared.note}`)
}

const pathNames = ({ path }: RoutedOperation): string[] => path.match(/(?<=:)\w+/g) ?? []

const propertiesOf = (schema: object | undefined): TProperties =>
  schema && 'properties' in schema ? (schema.properties as TProperties) : {}

/** Adds the positional arguments and returns their names in order: those of the path, then those of the declaration. */
function addArguments<T>(
  command: Command,
  operation: RoutedOperation,
  declared: Declared<T>,
  pathArguments: Arguments,
): string[] {
  const ofPath = pathNames(operation).map((name): [string, Arguments[string]] => {
    const { description = '' } = propertiesOf(operation.parameters)[name] as OptionField
    return [name, pathArguments[name] ?? [`<${name}>`, description]]
  })
  const all: Arguments = { ...Object.fromEntries(ofPath), ...declared.arguments }
  for (const [syntax, description] of Object.values(all)) command.argument(syntax, description)
  return Object.keys(all)
}

/** Adds the options for query and body, those of the declaration, and --if-version. Returns which parameters and body fields they set. */
function addOptions<T>(
  command: Command,
  operation: RoutedOperation,
  { fields = {}, options = [], asks }: Declared<T>,
  argumentNames: readonly string[],
): { queryNames: string[]; bodyFields: TProperties } {
  const forms = fields || {}
  const optionsIn = (schema: object | undefined, isOption: (name: string) => boolean = () => true): TProperties => {
    const shown = Object.entries(propertiesOf(schema)).filter(
      ([name]) => !argumentNames.includes(name) && forms[name] !== false && isOption(name),
    )
    const described = shown.map(([name, field]): [string, TSchema] => {
      const form = forms[name]
      return [name, typeof form === 'string' ? { ...field, description: form } : field]
    })
    return Object.fromEntries(described)
  }
  const filters = optionsIn(operation.parameters, (name) => !(name in listPage || name in versionGuard.parameters))
  const paging = optionsIn(operation.parameters, (name) => name in listPage)
  const guard = optionsIn(operation.parameters, (name) => name in versionGuard.parameters)
  const bodyFields = fields ? optionsIn(operation.body) : {}
  addFields(addFilters(command, filters), paging)
  addBodyOptions(command, operation, bodyFields, forms)
  for (const option of options) command.addOption(option)
  addFields(command, guard)
  if (asks) command.option('--yes', 'Do not ask.')
  return { queryNames: Object.keys({ ...filters, ...paging, ...guard }), bodyFields }
}

function addBodyOptions(
  command: Command,
  { method, body }: RoutedOperation,
  bodyFields: TProperties,
  forms: Readonly<Record<string, FieldForm>>,
): void {
  for (const [name, field] of Object.entries(bodyFields)) {
    const form = forms[name]
    if (typeof form !== 'object') addFields(command, { [name]: field }, requiredFields(body))
    else for (const option of 'flags' in form ? flagOptions(name, form.flags) : form.options) command.addOption(option)
  }
  // --no-… lets a change set false, and lets a new entry set false where the default is true.
  const plain = Object.entries(bodyFields).filter(([name]) => typeof forms[name] !== 'object')
  addOpposites(command, Object.fromEntries(plain), (field) => method === 'PATCH' || field.default === true)
}

type Flags = Extract<FieldForm, { flags: unknown }>['flags']

/** The options of a field with flags: each flag sets the field to its value, and only one of them may be given. */
const flagOptions = (name: string, flags: Flags): Option[] =>
  Object.entries(flags).map(([flag, [description, value]], i) =>
    new Option(`--${flag}`, description).implies({ [name]: value }).conflicts(Object.keys(flags).slice(0, i)),
  )

interface CommandLine {
  argumentNames: readonly string[]
  argumentValues: readonly unknown[]
  queryNames: readonly string[]
  bodyFields: TProperties
}

function readGiven<T>(
  command: Command,
  operation: RoutedOperation,
  declared: Declared<T>,
  { argumentNames, argumentValues, queryNames, bodyFields }: CommandLine,
): Given {
  const args = Object.fromEntries(argumentNames.map((name, i) => [name, argumentValues[i]]))
  const inPath = pathNames(operation)
  // Commander passes an empty list for an argument that may be repeated and was not given.
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined)
  const argumentsIn = (schema: object | undefined) =>
    Object.fromEntries(
      Object.entries(args).filter(
        ([name, value]) => name in propertiesOf(schema) && !inPath.includes(name) && isGiven(value),
      ),
    )
  const text = (name: string) => String(args[name] ?? '')
  return {
    command,
    operation,
    params: Object.fromEntries(inPath.map((name) => [name, text(name)])),
    query: { ...argumentsIn(operation.parameters), ...givenOptions(command, queryNames) },
    body: { ...argumentsIn(operation.body), ...readBody(command, operation, declared, bodyFields) },
    text,
    texts: (name) => [args[name] ?? []].flat().map(String),
  }
}

function readBody<T>(
  command: Command,
  { method, body: schema }: RoutedOperation,
  { fields, isChange = method === 'PATCH' }: Declared<T>,
  bodyFields: TProperties,
): Record<string, unknown> {
  const body = givenOptions(command, Object.keys(bodyFields))
  for (const [name, form] of Object.entries(fields || {})) {
    if (typeof form !== 'object') continue
    if ('read' in form) {
      const value = form.read(command.opts())
      if (value !== undefined) body[name] = value
    } else if (body[name] === undefined && requiredFields(schema).includes(name)) {
      const flags = Object.keys(form.flags).map((flag) => `--${flag}`)
      command.error(`error: give ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`)
    }
  }
  // A change without any field: the operator must have forgotten an option.
  if (isChange && Object.keys(body).length === 0) command.error('error: nothing to change was given')
  return body
}

function send<T>({ command, operation, params, query, body }: Given, prepared: object = {}): Promise<T> {
  const hasBody = operation.body !== undefined
  return callOperation<T>(command, operation, { params, query, ...(hasBody ? { body } : {}), ...prepared })
}

export const groupName = ({ path }: RoutedOperation): string => path.split('/')[1] ?? ''

/** GET /things is `list`, DELETE /things/:id is `delete`, POST /things/:id/retry is `retry`, PUT /things/:id/plan is `put-plan`. */
function commandName({ method, path, data }: RoutedOperation): string {
  const lastWord = path
    .split('/')
    .slice(2)
    .findLast((part) => !part.startsWith(':'))
  if (lastWord !== undefined && (method === 'GET' || method === 'POST')) return lastWord
  const isList = (data as OptionField).type === 'array'
  const verb = { GET: isList ? 'list' : 'show', POST: 'create', PATCH: 'change', PUT: 'put', DELETE: 'delete' }[method]
  return lastWord === undefined ? verb : `${verb}-${lastWord}`
}
