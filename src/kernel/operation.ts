// Everything the service can do is an operation, declared once. REST routes, MCP tools, the OpenAPI document, the operator API and
// the command line derive from the declaration. An operation keeps the types it was declared with, so that `perform` knows what it
// takes and what it answers.
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

/** What can be performed: by a page, or over HTTP where it has a route. */
export interface Operation<I extends TObject = TObject, B extends TSchema = TSchema, D extends TSchema = TSchema> {
  name: string
  summary: string
  access: Access
  /** The budget it is charged to. */
  bucket: string
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
  /** The envelope has a pagination object beside `data`. */
  paged?: boolean
  // A method, not a property: its parameters are compared bivariantly, so an operation with its own types is also an `Operation`
  // and one list can hold them all. `perform` reads the input by the operation's own schemas before it calls `run`.
  run(
    ctx: Context,
    input: Static<I>,
    body: BodyOf<B>,
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<Answer<Static<D>>> | Answer<Static<D>>
}

/** How an operation is reached over HTTP, and what is documented of it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base address of its surface, parameters as `:name`. */
  path: string
  description: string
  /** The heading it stands under in the OpenAPI document. */
  group: string
  /** The answer is a stream of lines of `data` instead of one envelope. */
  streams?: boolean
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
}

export interface RoutedOperation<I extends TObject = TObject, B extends TSchema = TSchema, D extends TSchema = TSchema>
  extends Operation<I, B, D>,
    Route {}

/** An operation that declares no JSON body is handed whatever its `lines` or `bytes` say. */
type BodyOf<B extends TSchema> = TSchema extends B ? never : Static<B>

/**
 * A value as a form, a query or a JSON body may give it, before it is read: the names are known, every field may be missing, and
 * numbers and booleans may be text.
 */
export type Unread<T> = unknown extends T
  ? unknown
  : T extends Date | null | undefined
    ? T
    : T extends string
      ? string
      : T extends number | boolean
        ? T | string
        : T extends readonly (infer Item)[]
          ? readonly Unread<Item>[]
          : { readonly [Name in keyof T]?: Unread<T[Name]> | undefined }

/** What is given as the body of an operation; anything where it declares none. */
export type UnreadBody<B extends TSchema> = TSchema extends B ? unknown : Unread<Static<B>>

type WithDefaults<Declared, Defaulted extends keyof Declared> = Omit<Declared, Defaulted> &
  Partial<Pick<Declared, Defaulted>>

/** Declares an operation that has an address of its own. */
export const operation = <I extends TObject, B extends TSchema, D extends TSchema>(
  declaration: WithDefaults<RoutedOperation<I, B, D>, 'bucket' | 'failures'>,
): RoutedOperation<I, B, D> => ({
  bucket: 'rest',
  failures: [],
  ...declaration,
  data: declaration.access === 'operator' ? withBroken(declaration.data) : declaration.data,
})

/** Declares an operation that only our own pages perform. */
export const pageOperation = <I extends TObject, B extends TSchema, D extends TSchema>(
  declaration: WithDefaults<Operation<I, B, D>, 'bucket'>,
): Operation<I, B, D> => ({ bucket: 'rest', ...declaration })

/** What a page that shows it declares itself; every answer to an operator may have it. */
export const broken = Type.Optional(
  Type.String({
    description:
      'Only when something stored is not as it must be: what. Fields that cannot be read have the empty value of their type.',
    examples: ['faqs.0.answer is missing.'],
  }),
)

/** Operators are shown what is wrong with a row, or with each row of a list, instead of a list that fails. */
function withBroken<D extends TSchema>(data: D): D {
  const { type, items, properties } = data as { type?: string; items?: TSchema; properties?: object }
  if (type === 'array' && items) return { ...data, items: withBroken(items) }
  return type === 'object' && properties ? { ...data, properties: { ...properties, broken } } : data
}
