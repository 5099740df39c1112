// MCP tools, made from the operations that have a tool description.
import type { Tool } from '@modelcontextprotocol/server'
import { invalid } from '../../kernel/errors.ts'
import type { RoutedOperation, ToolDescription } from '../../kernel/operation.ts'
import { envelope } from '../../kernel/output.ts'
import { lettersApart } from '../../kernel/values/text.ts'

export type ToolOperation = RoutedOperation & { tool: ToolDescription }

const isTool = (operation: RoutedOperation): operation is ToolOperation => operation.tool !== undefined

/** The tools by name, in a Map, because in a plain object a client could call `constructor`. */
export const toolMap = (operations: readonly RoutedOperation[]): ReadonlyMap<string, ToolOperation> =>
  new Map(operations.filter(isTool).map((operation) => [operation.name, operation]))

export function describeTool(operation: ToolOperation): Tool {
  const { title = operation.summary, description } = operation.tool
  return {
    name: operation.name,
    title,
    description,
    inputSchema: inputSchema(operation) as Tool['inputSchema'],
    outputSchema: outputSchema(operation) as Tool['outputSchema'],
    // The tools of /mcp only read; those of /mcp/operator are described in operator-tools.ts.
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }
}

/**
 * The parameters of the tool: one sentence, type and closed list of each. This is far shorter than in OpenAPI, because every client loads
 * all tools and pays by the token. Bounds and defaults are omitted: strict modes of some model providers refuse them.
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

export interface SchemaNode {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly string[]
  description?: string
  anyOf?: readonly SchemaNode[]
  items?: SchemaNode
  properties?: Readonly<Record<string, SchemaNode>>
  required?: readonly string[]
}

export const firstSentence = (text = ''): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text

/** A parameter with a default is optional. */
function offeredParameters({ parameters, tool }: RoutedOperation) {
  const { properties: all, required: needed = [] } = parameters as SchemaNode
  const properties = Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => !tool?.omit?.includes(name)))
  const required = needed.filter((name) => Object.hasOwn(properties, name) && !('default' in (properties[name] ?? {})))
  return { properties, required }
}

/**
 * The envelope with the names and types of all fields; what is inside a field is left out, because the list of tools must be short. A client
 * may ask for some `fields` only, so of a listing only the slug is required.
 */
function outputSchema({ data, paged, parameters, tool }: RoutedOperation): object {
  const whole: SchemaNode = tool?.isBare ? data : envelope({ data, paged })
  const schema = { ...typesOnly(whole, 2), required: whole.required }
  const listing = schema.properties?.data?.items ?? schema.properties?.data
  if (listing && 'fields' in parameters.properties) listing.required = ['slug']
  return schema
}

/** `levels`: how many objects inside each other are described. */
function typesOnly({ type, const: constant, anyOf, items, properties }: SchemaNode, levels: number): SchemaNode {
  if (constant !== undefined) return { const: constant }
  // The only unions in answers are an object or null.
  if (anyOf?.[0]) return { ...typesOnly(anyOf[0], levels), type: ['object', 'null'] }
  const inside = Object.entries(properties ?? {}).map(([name, node]) => [name, typesOnly(node, levels - 1)])
  return {
    type,
    ...(items ? { items: typesOnly(items, levels) } : {}),
    ...(properties && levels > 0 ? { properties: Object.fromEntries(inside) } : {}),
  }
}

// Other names that models use for a parameter, too different from its name to count as misspellings.
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  q: ['query', 'search', 'keyword', 'keywords', 'text', 'term', 'question', 'prompt'],
  slug: ['id', 'name', 'tool', 'directory'],
  limit: ['size', 'count', 'max', 'max_results', 'number', 'top_k', 'per_page'],
  page: ['offset', 'cursor'],
}

// Limits the work for unknown arguments, because a name is compared letter by letter.
const MOST_NAMED = 5
const LONGEST_NAME = 40

/**
 * The arguments that were given, or a 400 that names those which the tool does not have: an argument that is silently ignored, such as a
 * filter, misleads a model. One that the tool does not have may be null: some models send null for what they leave out.
 */
export function readArguments(
  operation: RoutedOperation,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  let names = offeredNames.get(operation)
  if (!names) offeredNames.set(operation, (names = Object.keys(offeredParameters(operation).properties)))
  checkNames(operation.name, names, given)
  return given
}

const offeredNames = new WeakMap<RoutedOperation, readonly string[]>()

export function checkNames(tool: string, known: readonly string[], given: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name) && given[name] !== null)
  if (unknown.length === 0) return
  const all = known.length === 0 ? 'It takes no arguments.' : `Its arguments are ${known.join(', ')}.`
  const named = unknown.slice(0, MOST_NAMED)
  throw invalid(
    named.map((name, at) => {
      const sentence = notAnArgument(tool, name, known)
      return {
        field: shortName(name),
        sentence: at === named.length - 1 ? `${sentence} ${all}` : sentence,
        isWhole: true,
      }
    }),
  )
}

const shortName = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name)

function notAnArgument(tool: string, name: string, known: readonly string[]): string {
  const given = shortName(name)
  const nearest = nearestName(given.toLowerCase(), known)
  return `\`${given}\` is not an argument of ${tool}${nearest === undefined ? '.' : `; did you mean \`${nearest}\`?`}`
}

/** The known name that was probably meant; undefined if none is similar enough. */
function nearestName(given: string, known: readonly string[]): string | undefined {
  const candidates = known
    .flatMap((name) => [name, ...(OTHER_NAMES[name] ?? [])].map((spelling) => ({ name, spelling })))
    .map(({ name, spelling }) => ({ name, spelling, apart: lettersApart(given, spelling.toLowerCase()) }))
    .filter(({ spelling, apart }) => 2 * apart < Math.max(given.length, spelling.length))
  return candidates.sort((a, b) => a.apart - b.apart)[0]?.name
}
