// Everything the service can do is an operation, declared once. REST routes, MCP tools, the OpenAPI document,
// the operator API and the command line derive from the declaration.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Access } from './caller.ts'
import type { Context } from './context.ts'
import type { Answer } from './output.ts'

export interface ToolDescription {
  title: string
  /** Written for a model that must choose among the tools. */
  description: string
  /** Parameters that REST takes and the MCP tool does not. */
  omit?: readonly string[]
}

export interface Operation<I extends TObject = TObject, B extends TSchema = TSchema, D extends TSchema = TSchema> {
  name: string
  summary: string
  description: string
  /** The heading it stands under in the OpenAPI document. */
  group: string
  access: Access
  /** The budget it is charged to. */
  bucket: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base address of its surface, parameters as `:name`. */
  path: string
  /** Parameters in path and query. */
  parameters: I
  /** Request headers that are read, under their own names. */
  headers?: TObject
  /** The JSON body. */
  body?: B
  /** `run` reads the body itself, because what is right depends on more than its schema; the schema documents it. */
  rawBody?: boolean
  /** A body of any length, one JSON value a line, handed to `run` as it arrives. */
  lines?: TSchema
  /** A body of these media types, handed to `run` whole as a Buffer. */
  bytes?: { types: readonly string[]; maxBytes: number }
  /** The shape of `data`: what is not declared here cannot leave. */
  data: D
  /** The answer is a stream of lines of `data` instead of one envelope. */
  streams?: boolean
  paged?: boolean
  status?: 200 | 201
  /** Of an operation that answers 201: where the new thing is from then on, as `path` is written; `:name` is a field of `data`. */
  location?: string
  /** The status when it was done before and nothing changed. */
  repeatStatus?: 200
  /** What an answer with `repeatStatus` looks like. */
  repeatExample?: unknown
  /** Statuses that this operation itself may fail with; 401, 429, 500 and 503 are understood. */
  failures: readonly (400 | 403 | 404 | 409 | 413 | 415)[]
  /** One answer as it really looks, for documentation. */
  example: unknown
  tool?: ToolDescription
  run(
    ctx: Context,
    input: Static<I>,
    body: Body<B>,
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<Answer<Static<D>>> | Answer<Static<D>>
}

type Body<B extends TSchema> = TSchema extends B ? never : Static<B>

type Optional = 'bucket' | 'failures'
export type Declaration<I extends TObject, B extends TSchema, D extends TSchema> = Omit<Operation<I, B, D>, Optional> &
  Partial<Pick<Operation<I, B, D>, Optional>>

// The list of all operations holds them under one type; each `run` was checked against its own schemas when it was declared.
export function operation<I extends TObject, B extends TSchema, D extends TSchema>(
  declaration: Declaration<I, B, D>,
): Operation {
  const data = declaration.access === 'operator' ? withBroken(declaration.data) : declaration.data
  return { bucket: 'rest', failures: [], ...declaration, data } as unknown as Operation
}

const broken = Type.Optional(
  Type.String({
    description:
      'Only when something stored is not as it must be: what. Fields that cannot be read have the empty value of their type.',
    examples: ['faqs.0.answer is missing.'],
  }),
)

/** Operators are shown what is wrong with a row, or with each row of a list, instead of a list that fails. */
function withBroken(data: TSchema): TSchema {
  const { type, items, properties } = data as { type?: string; items?: TSchema; properties?: object }
  if (type === 'array' && items) return { ...data, items: withBroken(items) } as TSchema
  return type === 'object' && properties ? ({ ...data, properties: { ...properties, broken } } as TSchema) : data
}
