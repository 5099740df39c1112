// Reads a forwarded question: blank texts and null count as missing, and all problems are reported together.
import { invalid } from '../../kernel/errors.ts'
import { tryReadBody } from '../../kernel/input.ts'
import { type Problem, problem } from '../../kernel/problem.ts'
import { isObject } from '../../kernel/values/objects.ts'
import { trimmed } from '../../kernel/values/text.ts'
import { askBody } from './schema.ts'

export interface CheckedQuestion {
  question: string
  conversationId?: string
  externalId?: string
  customer?: { name?: string; email?: string; id?: string }
  metadata?: Record<string, unknown>
  /** The partner's own identifier of the message, in the request `metadata.peerPushMessageId`. */
  peerMessageId?: string
}

export function readQuestion(raw: unknown): CheckedQuestion {
  const fields = withoutBlanks(raw)
  const given = isObject(fields) ? { ...fields, question: fields.question ?? fields.message } : fields
  if (isObject(given) && isObject(given.customer)) given.customer = readCustomer(given.customer)
  const metadata = isObject(given) ? given.metadata : undefined
  // The schema reports metadata that is not an object. Other invalid metadata is replaced by {}, so that the schema does not walk through
  // it or report it a second time.
  const inMetadata = isObject(metadata) ? metadataProblems(metadata) : []
  const result = tryReadBody(askBody, inMetadata.length > 0 ? { ...(given as object), metadata: {} } : given)
  const problems = [...('problems' in result ? result.problems : []), ...inMetadata, ...conflictingTexts(fields)]
  if (problems.length > 0 || 'problems' in result) throw invalid(problems)
  const peer = isObject(metadata) ? metadata.peerPushMessageId : undefined
  const peerMessageId = peer === undefined || peer === null ? undefined : trimmed(String(peer)) || undefined
  return { ...result.value, peerMessageId }
}

/** `message` is another name of `question`; if the two differ, one text would be lost. */
const conflictingTexts = (fields: unknown): Problem[] =>
  isObject(fields) &&
  fields.message !== undefined &&
  fields.question !== undefined &&
  fields.message !== fields.question
    ? [problem('message', 'must be left out, or be the same as question, which is its other name.')]
    : []

/** Blank texts and null count as missing. */
function withoutBlanks(raw: unknown): unknown {
  if (!isObject(raw)) return raw
  const entries = Object.entries(raw).map(([name, value]) => [name, typeof value === 'string' ? trimmed(value) : value])
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && value !== null))
}

/** Keeps only the known fields, because others have no length limit. A number is accepted as id, because many partners number customers. */
function readCustomer(customer: Record<string, unknown>): Record<string, unknown> {
  const { name, email, id } = withoutBlanks(customer) as Record<string, unknown>
  const known = { name, email, id: Number.isSafeInteger(id) ? String(id) : id }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
}

const MAX_DEPTH = 8
const MAX_BYTES = 16 * 1024
const MAX_PEER_ID = 255
const PEER_ID = 'metadata.peerPushMessageId'

export function metadataProblems(metadata: Record<string, unknown>): Problem[] {
  if (depthOf(metadata) > MAX_DEPTH) return [problem('metadata', `must have at most ${MAX_DEPTH} levels.`)]
  // The size is checked before the rest, because the checks below walk through the whole value.
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES)
    return [problem('metadata', `must be at most ${MAX_BYTES / 1024} KiB of JSON.`)]
  const problems: Problem[] = []
  // No partner needs this name, and it is dangerous in code that copies objects.
  if (hasName(metadata, '__proto__')) problems.push(problem('metadata', 'must not contain the name __proto__.'))
  if (hasInfiniteNumber(metadata)) problems.push(problem('metadata', 'must not contain numbers beyond 1.8e308.'))
  const peer = metadata.peerPushMessageId ?? ''
  // JSON parsing rounds larger numbers, so two messages could get the same identifier.
  if (typeof peer !== 'string' && !Number.isSafeInteger(peer)) problems.push(problem(PEER_ID, 'must be a string.'))
  else if (String(peer).length > MAX_PEER_ID)
    problems.push(problem(PEER_ID, `must have at most ${MAX_PEER_ID} characters.`))
  return problems
}

/** Stops at the limit, because deep recursion would overflow the stack, as would `Math.max` with a long list of arguments. */
function depthOf(value: unknown, level = 0): number {
  if (typeof value !== 'object' || value === null || level > MAX_DEPTH) return level
  let deepest = level + 1
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item, level + 1))
  return deepest
}

/** JSON.parse reads 1e400 as Infinity, which would be stored as null. */
function hasInfiniteNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfiniteNumber)
}

function hasName(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, name) || Object.values(value).some((item) => hasName(item, name))
}
