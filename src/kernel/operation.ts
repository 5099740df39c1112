// Everything the service can do is an operation, declared once. REST routes, MCP tools, the OpenAPI document, the operator API and
// the command line derive from the declaration. An operation keeps its declared types, so that `perform` infers input and answer.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Access, Bucket } from './caller.ts'
import type { Context } from './context.ts'
import type { Answer } from './output.ts'
import { exampleOf, stringType } from './schema.ts'
import { isObject } from './values/objects.ts'

export interface ToolDescription {
  /** The summary of the operation by default. */
  title?: string
  /** Written for a model that must choose among the tools. */
  description: string
  /** Parameters that REST takes and the MCP tool does not. */
  omit?: readonly string[]
  /** Hosts that show apps in the conversation show the answer as a list to compare. */
  hasView?: true
  /** The answer of the tool is `data` itself, without the envelope, because hosts expect that form. */
  isBare?: true
  /** For operator tools. What the tool does cannot be undone, so a call must have `confirm: true`. */
  isFinal?: true
  /** For operator tools that are a POST. Calling the tool again changes nothing more. */
  isRepeatable?: true
  /** For operator tools. The answer names pictures that this service stores, and a call may ask for them as images. */
  namesPictures?: true
  /** For operator tools. The fields that the answer, or each row of it, has unless the call names others. */
  shows?: readonly string[]
}

/** An operation. Pages perform it directly; HTTP clients reach it if it has a route. */
export interface Operation<I extends TObject = TObject, B extends TSchema = TSchema, D extends TSchema = TSchema> {
  name: string
  access: Access
  /** The rate-limit budget that calls are charged to. */
  bucket: Bucket
  /** Parameters in path and query. */
  parameters: I
  /** Request headers that are read, under their own names. */
  headers?: TObject
  /** Headers of its answers, beside those that every answer has. */
  answerHeaders?: TObject
  body?: B
  /** `run` checks the body itself, because its rules go beyond the schema; the schema then only documents it. */
  rawBody?: boolean
  /** A body of any length with one JSON value a line; `run` gets it as a stream. */
  lines?: TSchema
  /** Other media types of `lines` than NDJSON; `run` reads what is in the stream. */
  lineTypes?: readonly string[]
  /** A body of these media types; `run` gets it whole as a Buffer. */
  bytes?: { types: readonly string[]; maxBytes: number }
  /** The shape of `data`. A field that is not declared here is never sent. */
  data: D
  /** The envelope has a pagination object beside `data`. */
  paged?: boolean
  /** The envelope has `next` beside `data`, a cursor to ask with later; its schema. */
  next?: TSchema
  // A method, not a property: its parameters are compared bivariantly, so an operation with its own types is also an `Operation`
  // and one list can hold them all. `perform` reads the input by the operation's own schemas before it calls `run`.
  run(
    ctx: Context,
    input: Static<I>,
    body: BodyOf<B>,
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<Answer<Static<D>>> | Answer<Static<D>>
}

/** A stream of JSON values, one a line. */
export const NDJSON = { type: 'application/x-ndjson', extension: 'ndjson' } as const

/** A part of the API that stays through all of v1 and may be removed in v2. Answers and documentation say so automatically. */
export interface Deprecation {
  /** The days from which on it is deprecated and may be removed, as 2026-11-01. */
  since: string
  sunset: string
  /** What to use instead, in a sentence. */
  instead: string
}

/** How clients reach an operation over HTTP, and its documentation. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base address of its surface, parameters as `:name`. */
  path: string
  summary: string
  description: string
  /** The heading of the operation in the OpenAPI document. */
  group: string
  /** If given, the answer is a stream of `data` values instead of one envelope: its media type and its file name extension. */
  streams?: { type: string; extension: string }
  status?: 200 | 201
  /** For an operation that answers 201: the path of the new resource, written like `path`; `:name` is a field of `data`. */
  location?: string
  /** The status of a repeated call that changed nothing. */
  repeatStatus?: 200
  /** An answer with `repeatStatus`, for documentation. */
  repeatExample?: unknown
  /**
   * Statuses that this operation itself may fail with; by default those that its declaration implies. Every operation may also answer 401,
   * 500, 503, and if calls are limited 429.
   */
  failures: readonly (400 | 403 | 404 | 409 | 413 | 415 | 429)[]
  /** A real answer, for documentation; by default the examples of the fields of `data`, with `exampleFields` in place of some. */
  example: unknown
  exampleFields?: Readonly<Record<string, unknown>>
  /** Makes it an MCP tool: of /mcp, or of /mcp/operator if it belongs to the operator API. */
  tool?: ToolDescription
  deprecated?: Deprecation
  /** Deprecated parameters of the query and deprecated request headers, by name. */
  deprecatedParameters?: Readonly<Record<string, Deprecation>>
}

export interface RoutedOperation<
  I extends TObject = TObject,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
  N extends string = string,
> extends Operation<I, B, D>,
    Route {
  name: N
}

/** `never` for an operation without a JSON body: its `run` names the type that `lines` or `bytes` give it. */
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

/** The body that a caller passes to an operation, before it is read; unknown if the operation declares none. */
export type UnreadBody<B extends TSchema> = TSchema extends B ? unknown : Unread<Static<B>>

type WithDefaults<Declared, Defaulted extends keyof Declared> = Omit<Declared, Defaulted> &
  Partial<Pick<Declared, Defaulted>>

type Defaulted = 'parameters' | 'bucket' | 'failures' | 'example'

/** Declares an operation that has an address of its own. By default it has no parameters. */
export const operation = <
  I extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
  const N extends string = string,
>(
  declaration: WithDefaults<RoutedOperation<I, B, D, N>, Defaulted>,
): RoutedOperation<I, B, D, N> => ({
  bucket: 'rest',
  failures: failuresOf(declaration),
  example: exampleAnswer(declaration),
  ...declaration,
  parameters: declaration.parameters ?? (Type.Object({}) as I),
  data: declaration.access === 'operator' ? withBroken(declaration.data) : declaration.data,
})

/** `operation` for a file whose operations have the same access and the same heading. */
export const operationsFor =
  (access: Access, group: string) =>
  <
    I extends TObject = TObject<Record<never, never>>,
    B extends TSchema = TSchema,
    D extends TSchema = TSchema,
    const N extends string = string,
  >(
    declaration: WithDefaults<Omit<RoutedOperation<I, B, D, N>, 'access' | 'group'>, Defaulted>,
  ): RoutedOperation<I, B, D, N> =>
    operation<I, B, D, N>({ ...declaration, access, group })

/** Input that is read by a schema may be refused, and what the path names may not exist. */
function failuresOf({
  path,
  parameters,
  body,
  lines,
  bytes,
}: Pick<RoutedOperation, 'path' | 'body' | 'lines' | 'bytes'> & { parameters?: TObject }): Route['failures'] {
  const inPath = path.match(/:\w+/g) ?? []
  const isRead = Object.keys(parameters?.properties ?? {}).length > inPath.length || body || lines || bytes
  return [...(isRead ? ([400] as const) : []), ...(inPath.length > 0 ? ([404] as const) : [])]
}

function exampleAnswer(
  declaration: Pick<RoutedOperation, 'data' | 'streams' | 'paged' | 'next' | 'exampleFields'>,
): unknown {
  const { data, streams, paged, next, exampleFields } = declaration
  const example = withFields(exampleOf(data), exampleFields)
  if (streams) return example
  const pagination = paged ? { pagination: { page: 1, limit: 20, total: 1, pages: 1 } } : {}
  return { success: true, data: example, ...pagination, ...(next ? { next: exampleOf(next) } : {}) }
}

/** The fields replace those of the object, or of each object of the list. */
function withFields(example: unknown, fields: object = {}): unknown {
  if (Array.isArray(example)) return example.map((one) => withFields(one, fields))
  return isObject(example) ? { ...example, ...fields } : example
}

/** Declares an operation that only our own pages perform. By default signed-in users do, and it has no parameters. */
export const pageOperation = <
  I extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
>(
  declaration: WithDefaults<Operation<I, B, D>, 'access' | 'parameters' | 'bucket'>,
): Operation<I, B, D> => ({
  access: 'account',
  bucket: 'rest',
  ...declaration,
  parameters: declaration.parameters ?? (Type.Object({}) as I),
})

/** Added to the output of every operator operation. A page operation that shows broken rows declares it itself. */
export const broken = Type.Optional(
  stringType(
    'Only when something stored is not as it must be: what. Fields that cannot be read have the empty value of their type.',
    'faqs.0.answer is missing.',
  ),
)

/** Lets operators see what is wrong with a row, or with each row of a list, instead of an error. */
function withBroken<D extends TSchema>(data: D): D {
  const { type, items, properties } = data as { type?: string; items?: TSchema; properties?: object }
  if (type === 'array' && items) return { ...data, items: withBroken(items) }
  return type === 'object' && properties ? { ...data, properties: { ...properties, broken } } : data
}
