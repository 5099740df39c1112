// MCP tools, made from the operations that have a tool description.
import type { Tool } from '@modelcontextprotocol/server'
import type { TObject } from 'typebox'
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
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }
}

/** A client that names `fields` gets listings with only those, so no other field of a listing is required. */
function outputSchema({ data, paged, parameters }: RoutedOperation): object {
  const schema = plain(envelope(data, paged)) as { properties: { data: { items?: object; required?: string[] } } }
  if ('fields' in parameters.properties) {
    const listing: { required?: string[] } = schema.properties.data.items ?? schema.properties.data
    listing.required = ['slug']
  }
  return schema
}

/** The parameters without those that only REST takes. A parameter with a default is optional. */
function inputSchema(operation: RoutedOperation): object {
  const { properties, required } = withoutOmitted(operation)
  return plain({ type: 'object', properties, ...(required.length > 0 ? { required } : {}) })
}

function withoutOmitted({ parameters, tool }: RoutedOperation) {
  const omit = new Set(tool?.omit)
  const properties = Object.fromEntries(
    Object.entries((parameters as TObject).properties).filter(([name]) => !omit.has(name)),
  )
  const required = ((parameters as TObject).required ?? []).filter((name) => {
    const property = properties[name]
    return property !== undefined && !('default' in property)
  })
  return { properties, required }
}

/** The arguments that the tool takes; a parameter that it does not offer has no effect. */
export function offeredArguments(
  operation: RoutedOperation,
  given: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const omit = new Set(operation.tool?.omit)
  return Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => !omit.has(name)))
}

// TypeBox schemas have symbols as keys; clients get plain JSON.
const plain = (schema: object): object => JSON.parse(JSON.stringify(schema))
