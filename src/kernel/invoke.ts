// Every call goes through the same stages: identify the caller, admit the call (access and budget), read the input, run the operation, write
// the output. The surface identifies the caller, because headers differ, and `output.ts` writes the answer. The stages between are here.
import type { Static, TObject, TSchema } from 'typebox'
import { type Bucket, type Budget, type Caller, type LimitDecision, type Limiter, mayUse } from './caller.ts'
import type { Context } from './context.ts'
import { forbidden, tooManyRequests } from './errors.ts'
import { checkDepth, readBody, readParameters } from './input.ts'
import type { Operation, Unread, UnreadBody } from './operation.ts'
import { type Answer, inDeclaredShape } from './output.ts'

interface Admission {
  decision: LimitDecision | null
  /** Why the call is refused; the answer's rate-limit headers still show the decision. */
  refusal?: Error
}

const PARTNERS_ONLY = 'This key cannot use partner endpoints. They need an issued partner key.'
const FORBIDDEN: Record<string, string> = {
  partner: PARTNERS_ONLY,
  support: 'Support is not enabled for this key. Ask the operator to switch it on.',
  operator: 'This needs the operator token.',
}

/** Decides whether a call may run, and charges it. A call without the right is charged too, and gets a 403 even when the budget is spent. */
export async function admit(
  limiter: Limiter,
  caller: Caller,
  operation: Pick<Operation, 'access' | 'bucket'>,
): Promise<Admission> {
  const allowed = mayUse(caller, operation.access)
  // `rest` is the bucket of REST calls; it also stands for every bucket for which the caller has no budget of its own.
  const decision = await charge(limiter, caller, allowed ? operation.bucket : 'rest')
  return admission(allowed ? null : missingRight(caller, operation.access), decision)
}

/** Only a partner is told that the right to use support is missing; other callers are told that they need a partner key. */
const missingRight = (caller: Caller, access: Operation['access']): Operation['access'] =>
  access === 'support' && !mayUse(caller, 'partner') ? 'partner' : access

function admission(missing: Operation['access'] | null, decision: LimitDecision | null): Admission {
  if (missing) return { decision, refusal: forbidden(FORBIDDEN[missing] ?? 'This key cannot do that.') }
  if (decision && !decision.allowed) return { decision, refusal: tooManyRequests(decision.retryAfter) }
  return { decision }
}

/** The partner that calls an operation with the access `partner` or `support`. */
export function callingPartner({ partnerId }: Caller): string {
  if (partnerId === null) throw forbidden(PARTNERS_ONLY)
  return partnerId
}

/** The partner of a call, and whether a test key calls. A test key reaches only its sandbox, other keys only what is live. */
export const callingOwner = (caller: Caller): { partnerId: string; test: boolean } => ({
  partnerId: callingPartner(caller),
  test: caller.isTest === true,
})

const budgetsOf = (caller: Caller, bucket: Bucket): readonly Budget[] | undefined =>
  caller.budgets.get(bucket) ?? caller.budgets.get('rest')

/** The name under which the limiter counts the calls of a caller. */
export const bucketOf = (callerId: string, bucket: Bucket): string => `${bucket}:${callerId}`

/** null: the caller has no limits (the operator). */
export function charge(
  limiter: Limiter,
  caller: Caller,
  bucket: Bucket,
  calls = 1,
): Promise<LimitDecision> | LimitDecision | null {
  const budgets = budgetsOf(caller, bucket)
  return budgets ? limiter.charge(bucketOf(caller.id, bucket), budgets, calls) : null
}

/** What `charge` would decide, without counting a call. */
export function peek(
  limiter: Pick<Limiter, 'peek'>,
  caller: Caller,
  bucket: Bucket,
): Promise<LimitDecision> | LimitDecision | null {
  const budgets = budgetsOf(caller, bucket)
  return budgets ? limiter.peek(bucketOf(caller.id, bucket), budgets) : null
}

const NO_HEADERS: Readonly<Record<string, unknown>> = {}

/** Reads parameters, body and headers by the operation's schemas, and runs the operation. */
export function perform<I extends TObject, B extends TSchema, D extends TSchema>(
  operation: Operation<I, B, D>,
  ctx: Context,
  parameters: Unread<Static<I>>,
  body?: UnreadBody<B>,
  headers: Readonly<Record<string, unknown>> = NO_HEADERS,
): Promise<Answer<Static<D>>> | Answer<Static<D>> {
  const input = readParameters(operation.parameters, parameters as Readonly<Record<string, unknown>>)
  const read = operation.body && !operation.lines && !operation.rawBody ? readBody(operation.body, body ?? {}) : body
  if (operation.rawBody) checkDepth(body)
  const headerValues = operation.headers ? readParameters(operation.headers, headers) : NO_HEADERS
  const answer = operation.run(ctx, input, read as never, headerValues as Record<string, string>)
  return answer instanceof Promise
    ? answer.then((resolved) => inDeclaredShape(operation, resolved, ctx.log))
    : inDeclaredShape(operation, answer, ctx.log)
}
