// MCP tools, made from the operations that have a tool description.
import type { Tool } from '@modelcontextprotocol/server'
import type { RoutedOperation, ToolDescription } from '../../kernel/operation.ts'
import { envelope } from '../../kernel/output.ts'

type ToolOperation = RoutedOperation & { tool: ToolDescription }

const isTool = (operation: RoutedOperation): operation is ToolOperation => operation.tool !== undefined

/** The tools by name, in a Map, because in a plain object a client could call `constructor`. */
export const toolMap = (operations: readonly RoutedOperation[]): ReadonlyMap<string, ToolOperation> =>
  new Map(operations.filter(isTool).map((operation) => [operation.name, operation]))

export function describeTool(operation: ToolOperation): Tool {
  const { title, description } = operation.tool
  return {
    name: operation.name,
    title,
    description,
    inputSchema: inputSchema(operation) as Tool['inputSchema'],
    outputSchema: outputSchema(operation) as Tool['outputSchema'],
    // Not `openWorldHint: false`: the texts of listings come from the people who submitted them.
    annotations: { readOnlyHint: true },
  }
}

// Every client loads the whole list and most models pay for it by the token, so the schemas are far shorter than those of OpenAPI.

/**
 * The parameters that the tool offers: what each is in one sentence, its type and its closed list. Bounds and defaults are left out, because
 * the strict modes of some model providers refuse them; the service applies its own. No other argument is accepted.
 */
function inputSchema(operation: RoutedOperation): object {
  const { properties, required } = offeredParameters(operation)
  const described = Object.entries(properties).map(([name, { type, enum: values, description }]) => [
    name,
    { type, ...(values ? { enum: values } : {}), description: firstSentence(description) },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(described),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

interface SchemaNode {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly string[]
  description?: string
  anyOf?: readonly SchemaNode[]
  items?: SchemaNode
  properties?: Readonly<Record<string, SchemaNode>>
  required?: readonly string[]
}

const firstSentence = (text = ''): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text

/** A parameter with a default is optional. */
function offeredParameters({ parameters, tool }: RoutedOperation) {
  const omit = new Set(tool?.omit)
  const { properties: all, required: needed = [] } = parameters as SchemaNode
  const properties = Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => !omit.has(name)))
  const required = needed.filter((name) => Object.hasOwn(properties, name) && !('default' in (properties[name] ?? {})))
  return { properties, required }
}

/** The envelope with the names and types of all fields. A client may ask for some `fields` only, so of a listing only the slug is required. */
function outputSchema({ data, paged, parameters }: RoutedOperation): object {
  const whole: SchemaNode = envelope(data, paged)
  const schema = { ...typesOnly(whole), required: whole.required }
  const listing = schema.properties?.data?.items ?? schema.properties?.data
  if (listing && 'fields' in parameters.properties) listing.required = ['slug']
  return schema
}

function typesOnly({ type, const: constant, anyOf, items, properties }: SchemaNode): SchemaNode {
  if (constant !== undefined) return { const: constant }
  // An object or null.
  if (anyOf?.[0]) return { ...typesOnly(anyOf[0]), type: ['object', 'null'] }
  const inside = Object.entries(properties ?? {}).map(([name, node]) => [name, typesOnly(node)])
  return {
    type,
    ...(items ? { items: typesOnly(items) } : {}),
    ...(properties ? { properties: Object.fromEntries(inside) } : {}),
  }
}

/** The arguments that the tool takes; a parameter that it does not offer has no effect. */
export function offeredArguments(
  operation: RoutedOperation,
  given: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const omit = new Set(operation.tool?.omit)
  return Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => !omit.has(name)))
}
