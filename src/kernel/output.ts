// The output schema is the allow-list: REST and MCP write answers through it, so an undeclared field of a row is never sent.
import { createHash, type Hash } from 'node:crypto'
import buildSerializer from 'fast-json-stringify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { shapeOf } from './checks/shape.ts'
import type { Log } from './context.ts'
import type { Failure } from './errors.ts'
import type { Operation } from './operation.ts'
import { fieldProblems } from './problem.ts'
import { integerType, titledObject } from './schema.ts'
import { createPauses } from './work/scheduler.ts'

export interface Pagination {
  page: number
  limit: number
  total: number
  pages: number
}

/** full: every listing of a search result matches all words of the question. partial: some match only a part of them. */
export type SearchMatch = 'full' | 'partial'

/** A search that found nothing, or only partial matches, as it is counted for operators. */
export interface UnfoundAnswer {
  searched: string
  words: string
  outcome: 'nothing' | 'partial'
}

/** An envelope already written as JSON, with its ETag. The optional fields are about searches. */
export interface Prepared {
  json: Buffer
  etag: string
  match?: SearchMatch
  /** What was understood of the question, in the form of the header; empty when there is nothing to say. */
  understood?: string
  /** The words of the question that no listing has, in the form of the header; empty when there is none. */
  missing?: string
  /** The embedding endpoint gave no vector in time, so the result is ranked by words alone. */
  ranking?: 'words'
  unfound?: UnfoundAnswer
  /** A line that MCP writes before the JSON in the text of a tool's result. */
  note?: string
}

/** An answer that is the same for every caller with the same input, as long as it is current. */
export interface CachedAnswer {
  prepared: Prepared
  isCurrent(): boolean
}

/** What an operation answers: data, an answer that is written already, or a stream of lines. */
export type Answer<T> =
  | {
      data: T
      pagination?: Pagination
      next?: string | null
      /** For operations whose status differs from call to call. */
      status?: 200 | 201
      /** Whether it is the answer to an earlier request with the same Idempotency-Key. */
      isReplayed?: boolean
      headers?: Readonly<Record<string, string>>
      /** The surface calls it after it has sent the answer, but not when sending failed. */
      sent?(): Promise<unknown>
    }
  | CachedAnswer
  | { lines: AsyncIterable<string>; headers?: Readonly<Record<string, string>> }

export const paginationSchema = titledObject('Pagination', 'Where this page stands in the whole result.', {
  page: integerType('Page returned, counted from 1.', 1, { minimum: 1 }),
  limit: integerType('Items per page that were really applied.', 20, { minimum: 1 }),
  total: integerType('Matching items across all pages.', 137, { minimum: 0 }),
  pages: integerType('Number of pages; 0 when nothing matched.', 7, { minimum: 0 }),
})

export const paginate = (page: number, limit: number, total: number): Pagination => ({
  page,
  limit,
  total,
  pages: Math.ceil(total / limit),
})

/** Returns a function that writes a value as JSON by the schema. */
export const writer = (schema: TSchema): ((value: unknown) => string) =>
  buildSerializer(withoutBounds(schema) as Parameters<typeof buildSerializer>[0])

const BOUNDS = new Set([
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'propertyNames'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
])

// Removes length and range limits. For a union, fast-json-stringify picks the branch that validates; a stored value that breaks a limit
// would match no branch.
function withoutBounds(schema: unknown, isMapOfSchemas = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withoutBounds(part))
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([name]) => isMapOfSchemas || !BOUNDS.has(name))
  return Object.fromEntries(
    kept.map(([name, part]) => [name, withoutBounds(part, !isMapOfSchemas && name === 'properties')]),
  )
}

export const envelope = ({ data, paged, next }: Pick<Operation, 'data' | 'paged' | 'next'>) =>
  Type.Object({
    success: Type.Literal(true, { description: 'true on success.', examples: [true] }),
    data,
    ...(paged ? { pagination: paginationSchema } : {}),
    ...(next ? { next } : {}),
  })

/**
 * The answer in the shape that the operation declares, also when stored rows are broken: a value that does not fit is replaced by the
 * empty value of its type. Operators are told which rows are broken, and why.
 */
export function inDeclaredShape<D extends TSchema>(
  operation: Operation<TObject, TSchema, D>,
  answer: Answer<Static<D>>,
  log: Log,
): Answer<Static<D>> {
  if (!('data' in answer) || shapeOf(operation.data).matches(answer.data)) return answer
  const { items } = operation.data as { items?: TSchema }
  const repair = (schema: TSchema, value: unknown) => {
    const problems: string[] = []
    const repaired = shapeOf(schema).repair(value, '', problems) as Record<string, unknown>
    if (problems.length === 0) return value
    logBroken(operation, problems, log)
    if (operation.access !== 'operator' || typeof repaired !== 'object') return repaired
    // The operation itself may have reported some of the problems.
    const known = typeof repaired.broken === 'string' ? repaired.broken : ''
    return { ...repaired, broken: [known, ...problems.filter((one) => !known.includes(one))].join(' ').trim() }
  }
  const data =
    Array.isArray(answer.data) && items
      ? answer.data.map((item: unknown) => repair(items, item))
      : repair(operation.data, answer.data)
  return { ...answer, data }
}

// Each set of problems is logged once, because clients ask for the same rows again and again.
const logged = new Set<string>()
const MAX_LOGGED = 1_000

function logBroken({ name }: Operation, problems: readonly string[], log: Log): void {
  const text = `${name}: ${problems.join(' ')}`
  if (logged.has(text) || logged.size >= MAX_LOGGED) return
  logged.add(text)
  log.warn(
    { operation: name, problems },
    'a stored row is not as it must be; what cannot be read of it is shown as empty',
  )
}

const writers = new WeakMap<Operation, (value: unknown) => string>()

/** The envelope of an answer, written through the operation's own schema. */
export function write(operation: Operation, answer: Answer<unknown>): Prepared {
  if ('prepared' in answer) return answer.prepared
  if ('lines' in answer) throw new TypeError(`${operation.name} answers with lines; stream them`)
  let toJson = writers.get(operation)
  if (!toJson) writers.set(operation, (toJson = writer(envelope(operation))))
  return prepare(Buffer.from(toJson({ success: true, ...answer })))
}

export const prepare = (json: Buffer): Prepared => ({ json, etag: etagOf(createHash('sha1').update(json)) })

const etagOf = (hash: Hash): string => `"${hash.digest('base64url')}"`

const itemWriters = new WeakMap<TSchema, (value: unknown) => string>()
const writePagination = writer(paginationSchema)

/** Like `write`, but serialises a list item by item and pauses between items, so that other requests are answered meanwhile. */
export async function writeInSlices(operation: Operation, answer: Answer<unknown>): Promise<Prepared> {
  const { items } = operation.data as { items?: TSchema }
  if (!('data' in answer) || !Array.isArray(answer.data) || !items) return write(operation, answer)
  let toJson = itemWriters.get(items)
  if (!toJson) itemWriters.set(items, (toJson = writer(items)))
  const [hash, parts, pause] = [createHash('sha1'), [] as Buffer[], createPauses()]
  const add = (text: string) => {
    const part = Buffer.from(text)
    parts.push(part)
    hash.update(part)
    return pause()
  }
  let prefix = '{"success":true,"data":['
  for (const item of answer.data) {
    await add(prefix + toJson(item))
    prefix = ','
  }
  const pagination = operation.paged ? `,"pagination":${writePagination(answer.pagination)}` : ''
  const end = `]${pagination}${operation.next ? `,"next":${JSON.stringify(answer.next)}` : ''}}`
  await add((prefix === ',' ? '' : prefix) + end)
  return { json: Buffer.concat(parts), etag: etagOf(hash) }
}

export const failureJson = ({ message, code, problems, details }: WrittenFailure): string => {
  const fields = problems.length > 0 ? { fields: fieldProblems(problems) } : {}
  return JSON.stringify({ success: false, error: message, code, ...fields, ...details })
}

type WrittenFailure = Pick<Failure, 'message' | 'code' | 'problems' | 'details'>
