// The output schema is the allow-list: REST and MCP write through it, so an undeclared field of a row cannot leave.
import { createHash } from 'node:crypto'
import buildSerializer from 'fast-json-stringify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Log } from './context.ts'
import type { Failure } from './errors.ts'
import type { Operation } from './operation.ts'
import { shapeOf } from './shape.ts'

export interface Pagination {
  page: number
  limit: number
  total: number
  pages: number
}

/** An envelope already written, with the tag that says whether a reader has seen it. */
export interface Prepared {
  json: Buffer
  etag: string
}

/** Ready-made, and the same for everybody who asks the same, as long as it holds. */
export interface Held {
  prepared: Prepared
  holds(): boolean
}

/** `status`: where it differs from call to call. `sent`: to be called when the answer was sent, and not when it could not be. */
export type Answer<T> =
  | { data: T; pagination?: Pagination; status?: 200 | 201; sent?(): Promise<unknown> }
  | Held
  | { lines: AsyncIterable<string> }

export const paginationSchema = Type.Object(
  {
    page: Type.Integer({ minimum: 1, description: 'Page returned, counted from 1.', examples: [1] }),
    limit: Type.Integer({ minimum: 1, description: 'Items per page that were really applied.', examples: [20] }),
    total: Type.Integer({ minimum: 0, description: 'Matching items across all pages.', examples: [137] }),
    pages: Type.Integer({ minimum: 0, description: 'Number of pages; 0 when nothing matched.', examples: [7] }),
  },
  { title: 'Pagination', description: 'Where this page stands in the whole result.' },
)

export const paginate = (page: number, limit: number, total: number): Pagination => ({
  page,
  limit,
  total,
  pages: Math.ceil(total / limit),
})

export const writer = (schema: TSchema): ((value: unknown) => string) =>
  buildSerializer(schema as Parameters<typeof buildSerializer>[0])

export const envelope = (data: TSchema, paged = false) =>
  Type.Object({
    success: Type.Literal(true, { description: 'true on success.', examples: [true] }),
    data,
    ...(paged ? { pagination: paginationSchema } : {}),
  })

/**
 * The answer in the shape that its operation declares, whatever the rows hold that it was made from: a value that does not fit is the
 * empty one of its type. Operators are told which rows are broken, and why.
 */
export function readable<D extends TSchema>(
  operation: Operation<TObject, TSchema, D>,
  answer: Answer<Static<D>>,
  log: Log,
): Answer<Static<D>> {
  if (!('data' in answer) || shapeOf(operation.data).matches(answer.data)) return answer
  const { items } = operation.data as { items?: TSchema }
  const mend = (schema: TSchema, value: unknown) => {
    const problems: string[] = []
    const mended = shapeOf(schema).mend(value, '', problems) as Record<string, unknown>
    if (problems.length === 0) return value
    noteBroken(operation, problems, log)
    if (operation.access !== 'operator' || typeof mended !== 'object') return mended
    // The operation itself may have found some of it.
    const known = typeof mended.broken === 'string' ? mended.broken : ''
    return { ...mended, broken: [known, ...problems.filter((one) => !known.includes(one))].join(' ').trim() }
  }
  const data =
    Array.isArray(answer.data) && items
      ? answer.data.map((item: unknown) => mend(items, item))
      : mend(operation.data, answer.data)
  return { ...answer, data }
}

// Each kind of damage is told of once: the same rows are asked for over and over.
const noted = new Set<string>()
const MOST_NOTED = 1_000

function noteBroken({ name }: Operation, problems: readonly string[], log: Log): void {
  const text = `${name}: ${problems.join(' ')}`
  if (noted.has(text) || noted.size >= MOST_NOTED) return
  noted.add(text)
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
  if (!toJson) writers.set(operation, (toJson = writer(envelope(operation.data, operation.paged))))
  return prepare(Buffer.from(toJson({ success: true, ...answer })))
}

export function prepare(json: Buffer): Prepared {
  return { json, etag: `"${createHash('sha1').update(json).digest('base64url')}"` }
}

export const failureJson = ({ message, details }: Pick<Failure, 'message' | 'details'>) =>
  JSON.stringify({ success: false, error: message, ...details })
