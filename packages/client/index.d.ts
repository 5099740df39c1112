// The types of the client. What each operation takes and answers is in operations.d.ts, which is made from the service.
import type { Catalog, Pagination, PartnerEvent, WebhookEvent } from './operations.js'

export type * from './operations.js'

/** Throws a `CatalogError` of kind `input` if an option cannot be right; connects to nothing yet. */
export declare function createClient(options: ClientOptions): Client

export interface Client extends Catalog {
  /**
   * Every event of the partner in the order in which it happened, without end: waits for new ones, and goes on after an outage of the
   * service. `save` gets the cursor when all events before it were taken from the loop; a program that starts again with it misses none.
   */
  events(options?: EventOptions): AsyncGenerator<ReceivedEvent, void, undefined>
}

export interface EventOptions {
  /** Where to begin: a cursor of before. Without it, and without `load`, the oldest event that is kept. */
  after?: string | undefined
  /** Reads the cursor that `save` has stored. */
  load?: (() => string | null | undefined | Promise<string | null | undefined>) | undefined
  save?: ((cursor: string) => unknown) | undefined
  /** How long to wait when there is no new event; 5,000 by default. */
  pauseMs?: number | undefined
  /** Events in one call: 100 by default, 500 at most. With 1, `save` is called after every event. */
  limit?: number | undefined
  /** Ends the loop. */
  signal?: AbortSignal | undefined
}

export type ReceivedEvent = Omit<PartnerEvent, 'body'> & {
  /** Its `event` says which one it is. */
  body: WebhookEvent
}

export interface ClientOptions {
  /** The address of the service, with or without `/api/v1`. */
  baseUrl: string | URL
  /** An API key, a partner key or an access token. Only `discover` works without one. */
  key?: string | undefined
  /** Further attempts after a 429, a 5xx that ends by itself, a timeout or a lost connection; 3 by default. */
  retries?: number | undefined
  /** How long one attempt may take; 30,000 by default. */
  timeoutMs?: number | undefined
  /** A longer wait that the service asks for is an error instead; 65,000 by default, a little more than the window of the limits. */
  maxWaitMs?: number | undefined
  /** Sends the requests instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Instead of that of the client. */
  retries?: number | undefined
  /** Instead of that of the client. */
  timeoutMs?: number | undefined
  /** For writes: the same key and body within 24 hours get the same answer. Every write has a random one unless you give yours. */
  idempotencyKey?: string | undefined
}

export interface Answer<D> {
  data: D
  status: number
  /** Quote it when you report a problem. */
  requestId: string | null
  rateLimit: RateLimit | null
  headers: Headers
}

export interface PageAnswer<I> extends Answer<I[]> {
  /** Only searches have it. */
  pagination?: Pagination
}

export interface SearchAnswer<I> extends Answer<I[]> {
  pagination: Pagination
}

export interface RateLimit {
  /** Calls that the window allows. */
  limit: number
  /** Calls that are left in it. */
  remaining: number
  resetsAt: Date
}

/** An answer that says itself whether it worked. */
export type Result<A> = ({ ok: true } & A) | { ok: false; error: CatalogError }

export type ErrorKind =
  /** The service answered with an error; `status` says which. */
  | 'http'
  /** No answer came: no connection, or a redirect, which is not followed. */
  | 'network'
  | 'timeout'
  | 'aborted'
  /** An argument cannot be right; nothing was sent. */
  | 'input'
  /** A webhook is not from the service, or too old. */
  | 'signature'

export declare class CatalogError extends Error {
  readonly kind: ErrorKind
  /** The status of the answer; 0 when there was none. */
  readonly status: number
  /** What happened, for programs, such as `not_found`; null when the service did not answer. */
  readonly code: string | null
  /** The fields that are wrong, by their path in the body or the name of the parameter. */
  readonly fields: ReadonlyArray<{ readonly field: string; readonly problem: string }>
  readonly requestId: string | null
  /** Seconds after which the call would succeed, if the service told. */
  readonly retryAfter: number | null
  /** What else the answer contains. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The arguments of a method: its parameters may be left out when none of `P` is required. `X` is how they are written. */
type Arguments<P, X = P> =
  Record<never, never> extends P ? [parameters?: X, options?: CallOptions] : [parameters: X, options?: CallOptions]

/** Throws a `CatalogError`; `result` returns it instead. */
export interface Method<P, D> {
  (...args: Arguments<P>): Promise<Answer<D>>
  result(...args: Arguments<P>): Promise<Result<Answer<D>>>
}

/** `all` walks through the items of all pages, `pages` through the pages. Both call when the next one is needed. */
export interface ListMethod<P, I> {
  (...args: Arguments<P>): Promise<PageAnswer<I>>
  result(...args: Arguments<P>): Promise<Result<PageAnswer<I>>>
  pages(...args: Arguments<P>): AsyncGenerator<PageAnswer<I>, void, undefined>
  all(...args: Arguments<P>): AsyncGenerator<I, void, undefined>
}

export interface CursorAnswer<I, N> extends Answer<I[]> {
  /** What to send later to go on from here. */
  next: N
}

/** A list that is read with a cursor. */
export interface CursorMethod<P, I, N> {
  (...args: Arguments<P>): Promise<CursorAnswer<I, N>>
  result(...args: Arguments<P>): Promise<Result<CursorAnswer<I, N>>>
}

/** The parameters of an operation that answers only the named fields. */
export type Selecting<P, F extends PropertyKey> = P & {
  /** Names of the fields to return; slug is always returned, and every field when omitted. */
  fields?: readonly F[] | undefined
}
export type Selected<I, F extends keyof I> = [keyof I] extends [F] ? I : Pick<I, F | (keyof I & 'slug')>

/** An answer of one item, or of several without pages, with only the fields that are named. */
export interface SelectMethod<P, I, L extends boolean> {
  <F extends keyof I = keyof I>(...args: Arguments<P, Selecting<P, F>>): Promise<Answer<OneOrList<Selected<I, F>, L>>>
  result<F extends keyof I = keyof I>(
    ...args: Arguments<P, Selecting<P, F>>
  ): Promise<Result<Answer<OneOrList<Selected<I, F>, L>>>>
}
type OneOrList<I, L extends boolean> = L extends true ? I[] : I

/** A search: pages of items, with only the fields that are named. */
export interface SearchMethod<P, I> {
  <F extends keyof I = keyof I>(...args: Arguments<P, Selecting<P, F>>): Promise<SearchAnswer<Selected<I, F>>>
  result<F extends keyof I = keyof I>(
    ...args: Arguments<P, Selecting<P, F>>
  ): Promise<Result<SearchAnswer<Selected<I, F>>>>
  pages<F extends keyof I = keyof I>(
    ...args: Arguments<P, Selecting<P, F>>
  ): AsyncGenerator<SearchAnswer<Selected<I, F>>, void, undefined>
  all<F extends keyof I = keyof I>(
    ...args: Arguments<P, Selecting<P, F>>
  ): AsyncGenerator<Selected<I, F>, void, undefined>
}

/** As Node, a framework or the web platform gives the headers of a request. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from `now`; 300 by default. */
  toleranceSeconds?: number
  /** Milliseconds since 1970; the time of this machine by default. */
  now?: number
}

export interface VerifiedWebhook {
  /** The same when an event is sent again: remember those that you have handled. */
  id: string
  sentAt: Date
  /** Whether it is of the sandbox. */
  isTest: boolean
  /** Its `event` says which one it is. */
  event: WebhookEvent
}

/**
 * Checks `webhook-signature` and `webhook-timestamp`; throws a `CatalogError` of kind `signature` if they do not fit, and of kind `input`
 * without a secret. `rawBody` is the body as it came, before any parsing. `secret` may be a list, while the receiver changes over.
 */
export declare function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<VerifiedWebhook>
