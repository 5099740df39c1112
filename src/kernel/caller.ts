// The caller of an operation, and the rate limits that apply to it.

export type Access = 'public' | 'catalog' | 'partner' | 'support' | 'account' | 'operator'

/** The budgets that calls are charged to; `features/keys/budgets.rules.ts` has the number of calls. */
export type Bucket =
  | 'rest'
  | 'suggestions'
  | 'mcp'
  | 'mcp-free'
  | 'refused'
  | 'submit'
  | 'support'
  | 'keys'
  | 'webhooks'
  | 'payments'
  | 'export'
  | 'look-up'

export interface Caller {
  kind: 'visitor' | 'key' | 'grant' | 'user' | 'operator'
  /** The id of the key, of the grant of an access token or of the signed-in user, `operator`, or the visitor's address. */
  id: string
  /** The user or partner who has the key or the grant. */
  owner?: string
  /** Names the caller in the audit log, such as by the end of a key (never a whole key) or by a signed-in user's e-mail address. */
  label: string
  /** The e-mail address of the person who calls, or who lets a program call: work is assigned to this person. Without it, to the label. */
  person?: string
  access: ReadonlySet<Access>
  /** The budgets of each bucket. A missing bucket uses the budgets of `rest`. */
  budgets: ReadonlyMap<Bucket, readonly Budget[]>
  /** The partner that the key or the signed-in user belongs to. */
  partnerId: string | null
  /** The network address of a signed-in user who opens a page, unless the address is private. It is never stored. */
  address?: string | undefined
  /** Names the user and the program in the audit log when a program works as an operator. Only grants with the scope `operator` have it. */
  operatorLabel?: string
  /** The caller has a test key: what it writes belongs to the sandbox of its partner, and it sees only that and the catalog. */
  isTest?: boolean
}

/** At most `calls` calls in a window of `seconds` seconds. */
export interface Budget {
  calls: number
  seconds: number
}

/** The limiter's decision about a call: whether it is allowed, and the values of the rate-limit headers. */
export interface LimitDecision {
  allowed: boolean
  /** The name of the bucket that was asked for. */
  bucket: string
  limit: number
  /** The length of the window. */
  seconds: number
  remaining: number
  /** Unix time in whole seconds at which the window ends. */
  reset: number
  /** Whole seconds, at least 1, until the window ends: a refused call succeeds after them. */
  retryAfter: number
}

export interface Limiter {
  /** Charges the calls (one by default) if every window has room for all of them. A refused call is charged to no window. */
  charge(id: string, budgets: readonly Budget[], calls?: number): Promise<LimitDecision> | LimitDecision
  /** The same decision without charging. */
  peek(id: string, budgets: readonly Budget[]): Promise<LimitDecision> | LimitDecision
}

/** The name that work of the caller is assigned to. */
export const workerOf = ({ person, label }: Caller): string => person ?? label

export function mayUse(caller: Caller, access: Access): boolean {
  return access === 'public' || caller.access.has(access)
}

/** The caller of background work, which names it in the audit log. It has no access rights, because it calls no operation. */
export const backgroundCaller = (id: string, label = id): Caller => ({
  kind: 'operator',
  id,
  label,
  access: new Set(),
  budgets: new Map(),
  partnerId: null,
})
