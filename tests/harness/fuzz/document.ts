// An OpenAPI document as the fuzzer reads it: what each operation accepts, and what it may answer.
import Schemas from 'typebox/schema'

export type Schema = Record<string, any>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: Schema
}

export interface DescribedOperation {
  name: string
  group: string
  method: string
  /** From the root of the server, with parameters as `{name}`. */
  path: string
  parameters: Parameter[]
  body: Schema | null
  answers: Map<number, DeclaredAnswer>
}

/** What the document declares for one status. */
export interface DeclaredAnswer {
  /** null: the answer has no body. */
  type: string | null
  problems(body: unknown): string[]
  /** The headers that every such answer has. */
  headers: { name: string; isWhole: boolean }[]
}

export function readDocument(document: Schema, isRead: (entry: Schema) => boolean = () => true): DescribedOperation[] {
  const base = new URL(document.servers[0].url).pathname
  const whole = (part: Schema): Schema => inlined(document, part) as Schema
  return Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods)
      .filter(([, entry]) => isRead(entry))
      .map(([method, entry]) => ({
        name: entry.operationId,
        group: entry.tags[0],
        method: method.toUpperCase(),
        path: base + path,
        parameters: (entry.parameters ?? []).map(({ name, in: where, schema, example }: Schema) => ({
          name,
          in: where,
          schema: { ...whole(schema), ...(example === undefined ? {} : { examples: [example] }) },
        })),
        body: entry.requestBody ? whole(entry.requestBody.content['application/json'].schema) : null,
        answers: new Map(
          Object.entries<Schema>(entry.responses).map(([status, answer]) => [Number(status), promised(whole(answer))]),
        ),
      })),
  )
}

function promised({ content, headers = {} }: Schema): DeclaredAnswer {
  const type = content ? Object.keys(content)[0]! : null
  return {
    type,
    problems: type ? problemsWith(content[type].schema) : () => [],
    headers: Object.entries<Schema>(headers)
      .filter(([, { required }]) => required)
      .map(([name, { schema }]) => ({ name, isWhole: schema.type === 'integer' })),
  }
}

/** Lists how a value violates a schema. The schema is read strictly: properties that it does not declare are violations. */
export function problemsWith(schema: Schema): (value: unknown) => string[] {
  const validator = Schemas.Compile(strict(schema) as Schema)
  return (value) =>
    validator.Check(value)
      ? []
      : validator.Errors(value)[1].map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`)
}

function strict(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(strict)
  if (typeof part !== 'object' || part === null) return part
  const read = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, NO_SCHEMAS.has(name) ? value : strict(value)]),
  )
  return read.type === 'object' && read.properties ? { additionalProperties: false, ...read } : read
}

const NO_SCHEMAS = new Set(['examples', 'example', 'enum', 'const', 'default', 'required'])

/** Replaces every `$ref` with the schema that it refers to. */
function inlined(document: Schema, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => inlined(document, item))
  if (typeof part !== 'object' || part === null) return part
  const { $ref } = part as Schema
  if (typeof $ref === 'string') return inlined(document, at(document, $ref))
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, inlined(document, value)]))
}

const at = (document: Schema, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<any>((part, name) => part[name], document)

/** The operation that serves an address: `/tools/top` before `/tools/{slug}`. */
export function operationAt(
  described: readonly DescribedOperation[],
  method: string,
  address: string,
): DescribedOperation | undefined {
  const parts = partsOf(address.split(/[?#]/)[0]!.split('/').map(decoded))
  const fits = ({ method: own, path }: DescribedOperation) => {
    const pathParts = partsOf(path.split('/'))
    return (
      own === method &&
      pathParts.length === parts.length &&
      pathParts.every((part, i) => part === parts[i] || (part.startsWith('{') && parts[i] !== ''))
    )
  }
  const fitting = described.filter(fits)
  return fitting.find(({ path }) => !path.includes('{')) ?? fitting[0]
}

/** A slash at the end is ignored. */
const partsOf = (parts: string[]): string[] => (parts.length > 2 && parts.at(-1) === '' ? parts.slice(0, -1) : parts)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
