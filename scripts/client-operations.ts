// The parts of packages/client that are made from the operations: its types and its table of addresses.
//   node scripts/client-operations.ts        writes them again
import { writeFileSync } from 'node:fs'
import type { TObject } from 'typebox'
import { restOperations, webhookEvents } from '../src/features.ts'
import type { RoutedOperation } from '../src/kernel/operation.ts'
import { paginationSchema } from '../src/kernel/output.ts'
import { capitalised, methodName } from '../src/kernel/values/text.ts'
import { discovery } from '../src/surfaces/rest/discovery.ts'
import { inGroups, PUBLIC_API } from '../src/surfaces/rest/openapi-apis.ts'
import { documentSchema, type Json } from '../src/surfaces/rest/openapi-schemas.ts'

const FOLDER = new URL('../packages/client/', import.meta.url)
const NOTE = '// Made from the operations of the service by scripts/client-operations.ts. Do not edit.\n'

/** The content of each made file. */
export function clientFiles(): Record<'operations.js' | 'operations.d.ts', string> {
  const operations = inGroups(PUBLIC_API, [discovery(restOperations), ...restOperations])
  return { 'operations.js': tableOf(operations), 'operations.d.ts': typesOf(operations) }
}

function tableOf(operations: readonly RoutedOperation[]): string {
  const rows = operations.map((operation) => {
    const { name, method, path, parameters } = operation
    const { limit } = parameters.properties as { limit?: { default: number; maximum: number } }
    const sizes = isPaged(operation) && limit ? [limit.default, limit.maximum] : []
    // A write sends its parameters in the query and everything else in the body.
    const inQuery = Object.keys(parameters.properties).filter((one) => !path.includes(`:${one}`))
    const query = method === 'GET' || inQuery.length === 0 ? '' : `?${inQuery.join('&')}`
    const row = [`'${method}'`, `'${path}${query}'`, ...sizes].join(', ')
    return `  ${methodName(name)}: [${row}],\n`
  })
  return `${NOTE}\n/**\n * Method, path and, for lists in pages, the usual and the highest number of items in a page.\n * @type {Record<string, import('./request.js').Route>}\n */\nexport const operations = {\n${rows.join('')}}\n`
}

const isPaged = ({ parameters }: RoutedOperation): boolean => 'page' in parameters.properties

function typesOf(operations: readonly RoutedOperation[]): string {
  const components: Json = {}
  documentSchema(paginationSchema, components)
  // Bodies have shapes of their own. A caller may give their lists as constants.
  const bodies: Json = {}
  for (const { body } of operations) if (body) documentSchema(body, bodies)
  const inputs: string[] = []
  const methods = operations.map((operation) => {
    const input = inputOf(operation, components)
    if (input.text) inputs.push(input.text)
    const type = methodType(operation, input.name, components)
    return `${comment(`${operation.summary}. ${operation.description}`, '  ')}  ${methodName(operation.name)}: ${type}\n`
  })
  const events = webhookEvents.map(({ body }) => typeOf(documentSchema(body, components)))
  const named = Object.entries(components as Record<string, Json>).map(([name, schema]) =>
    declarationOf(name, schema, name in bodies),
  )
  return [
    `${NOTE}import type { CursorMethod, ListMethod, Method, SearchMethod, SelectMethod } from './index.js'\n`,
    `/** Every operation of the service. */\nexport interface Catalog {\n${methods.join('')}}\n`,
    ...inputs,
    ...named,
    `/** The body of an event; its \`event\` says which one it is. */\nexport type WebhookEvent =\n${events.map((name) => `  | ${name}\n`).join('')}`,
  ].join('\n')
}

function methodType(operation: RoutedOperation, input: string, components: Json): string {
  const data = documentSchema(operation.data, components)
  const item = data.items ? typeOf(data.items as Json) : typeOf(data)
  const isList = data.type === 'array'
  const selects = 'fields' in operation.parameters.properties
  if (operation.paged) return `SearchMethod<${input}, ${item}>`
  if (operation.next) return `CursorMethod<${input}, ${item}, ${typeOf(documentSchema(operation.next, components))}>`
  if (isPaged(operation)) return `ListMethod<${input}, ${item}>`
  if (selects) return `SelectMethod<${input}, ${item}, ${isList}>`
  return `Method<${input}, ${isList ? `${item}[]` : item}>`
}

/** What the method takes: the parameters, or the body. */
function inputOf(operation: RoutedOperation, components: Json): { name: string; text?: string } {
  const properties = Object.entries((operation.parameters as TObject).properties)
  const body = operation.body && typeOf(documentSchema(operation.body, components))
  if (body && properties.length === 0) return { name: body }
  const name = `${capitalised(methodName(operation.name))}Parameters`
  // The selection of fields has a type of its own, which the type of the answer follows from.
  const fields = properties
    .filter(([field]) => field !== 'fields')
    .map(([field, schema]) => {
      const isInPath = operation.path.includes(`:${field}`)
      return fieldOf(field, documentSchema(schema, components), isInPath)
    })
  const heading = `/** What \`${methodName(operation.name)}\` takes. */\n`
  if (fields.length === 0) return { name, text: `${heading}export type ${name} = Record<string, never>\n` }
  return { name, text: `${heading}export interface ${name}${body ? ` extends ${body}` : ''} {\n${fields.join('')}}\n` }
}

function declarationOf(name: string, schema: Json, isInput: boolean): string {
  const heading = comment(schema.description)
  if (schema.type !== 'object' || !schema.properties) return `${heading}export type ${name} = ${typeOf(schema)}\n`
  return `${heading}export interface ${name} ${objectOf(schema, '', isInput)}\n`
}

function objectOf({ properties, required = [] }: Json, indent: string, isInput: boolean): string {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, schema]) =>
    fieldOf(name, schema, (required as string[]).includes(name), `${indent}  `, isInput),
  )
  return `{\n${fields.join('')}${indent}}`
}

function fieldOf(name: string, schema: Json, isRequired: boolean, indent = '  ', isInput = false): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`
  // A caller with exactOptionalPropertyTypes may pass undefined too: it is not sent.
  const type = typeOf(schema, indent, isInput)
  return `${comment(schema.description, indent)}${indent}${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'}\n`
}

function typeOf(schema: Json, indent = '', isInput = false): string {
  const { $ref, enum: values, type, items, anyOf, oneOf, properties, additionalProperties } = schema
  const choices = (anyOf ?? oneOf) as Json[] | undefined
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (Array.isArray(values)) return values.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (choices) return choices.map((choice) => typeOf(choice, indent, isInput)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent, isInput)).join(' | ')
  if (type === 'array') return `${isInput ? 'readonly ' : ''}${listOf(typeOf(items as Json, indent, isInput), isInput)}`
  if (type === 'object' && properties) return objectOf(schema, indent, isInput)
  if (type === 'object')
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties as Json) : 'unknown'}>`
  const plain = { string: 'string', boolean: 'boolean', null: 'null', integer: 'number', number: 'number' }
  if (typeof type === 'string' && type in plain) return plain[type as keyof typeof plain]
  throw new Error(`There is no type for ${JSON.stringify(schema)}.`)
}

const listOf = (type: string, isInput: boolean): string => {
  if (/^[\w.]+$/.test(type)) return `${type}[]`
  return isInput ? `(${type})[]` : `Array<${type}>`
}

const comment = (text: unknown, indent = ''): string =>
  typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : ''

if (import.meta.main)
  for (const [name, text] of Object.entries(clientFiles())) writeFileSync(new URL(name, FOLDER), text)
