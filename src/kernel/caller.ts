// Who is calling, as far as the stages before an operation need to know.

export type Access = 'public' | 'catalog' | 'partner' | 'support' | 'account' | 'operator'

export interface Caller {
  kind: 'visitor' | 'key' | 'user' | 'operator'
  /** The row of the key or of the signed-in user, `operator`, or the visitor's address. */
  id: string
  /** Who did it, for the audit log: never a whole key, but it may be the address of somebody who is signed in. */
  label: string
  access: ReadonlySet<Access>
  /** Calls a window by bucket. A bucket that is missing falls back to the one named `rest`. */
  budgets: ReadonlyMap<string, readonly Budget[]>
  clientId: string | null
}

export interface Budget {
  calls: number
  seconds: number
}

/** What a bucket says of a call: whether it may go on and what the three headers show. */
export interface Decision {
  allowed: boolean
  limit: number
  remaining: number
  /** Unix time in whole seconds at which the window ends. */
  reset: number
  /** Whole seconds, at least 1, after which a refused call succeeds. */
  retryAfter: number
}

export interface Limiter {
  /** Charges so many calls, one unless told otherwise, if every window has room for all of them; what is refused is charged nowhere. */
  charge(id: string, budgets: readonly Budget[], calls?: number): Promise<Decision> | Decision
  /** The same answer without charging. */
  peek(id: string, budgets: readonly Budget[]): Promise<Decision> | Decision
}

export function mayUse(caller: Caller, access: Access): boolean {
  return access === 'public' || caller.access.has(access)
}
