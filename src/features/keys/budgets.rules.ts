// Every rate limit of the service, how many keys an account or partner may have, and what plans cost.
import type { Bucket, Budget } from '../../kernel/caller.ts'
import type { Plan } from '../accounts/schema.ts'
import type { Surface } from './rules.ts'

export const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

/** How many keys of a user, and of a partner, may work at the same time. A partner needs two to replace a key without a gap. */
export const MAX_LIVE_KEYS = 10
export const MAX_PARTNER_KEYS = 5

/** Calls a minute by bucket and plan. */
export const KEY_BUDGETS: Record<Surface, Record<Plan, number>> = {
  rest: { standard: 10, premium: 60 },
  mcp: { standard: 30, premium: 120 },
}
/** Uncharged MCP messages (initialize, ping, tools/list …) are limited to this many times the MCP budget of the plan. */
export const FREE_MCP_TIMES = 10
/** What a plan usually costs a month; visitors see the price at the payment service, and `doctor` warns when it is another one. */
export const PLAN_PRICES: Record<Plan, number> = { standard: 0, premium: 9 }
/** Writes a minute that a partner's key may make, by bucket. */
export const PARTNER_BUDGETS = { submit: 20, support: 60 } satisfies Partial<Record<Bucket, number>>
/** Requests without a key or a sign-in, per IP address. */
export const VISITOR_BUDGETS: readonly [minute: Budget, hour: Budget] = [
  { calls: 60, seconds: MINUTE },
  { calls: 400, seconds: HOUR },
]

/** Search suggestions while a visitor types, per IP address. They are counted apart, so that typing does not use up `VISITOR_BUDGETS`. */
export const SUGGESTION_BUDGETS: readonly Budget[] = [
  { calls: 120, seconds: MINUTE },
  { calls: 1200, seconds: HOUR },
]

/** Pages that a signed-in user opens. */
export const PAGE_BUDGETS: readonly Budget[] = [{ calls: 240, seconds: MINUTE }]
/** OAuth clients. The limits per IP address are high, because a hosted client sends the requests of all its users from few addresses. */
export const OAUTH_BUDGETS: Record<'register' | 'token' | 'metadata' | 'document', readonly Budget[]> = {
  /** Client registrations, per IP address. */
  register: [
    { calls: 20, seconds: HOUR },
    { calls: 60, seconds: DAY },
  ],
  /** Requests for tokens, per IP address. */
  token: [
    { calls: 120, seconds: MINUTE },
    { calls: 3000, seconds: HOUR },
  ],
  /** Reads of the server metadata, per IP address. */
  metadata: [{ calls: 600, seconds: MINUTE }],
  /** Per user: consent pages and their forms when the client is a web address, because each may fetch the document there. */
  document: [{ calls: 60, seconds: HOUR }],
}
/** Keys that a user creates. Each new key has a full budget, so a user could avoid the limits by replacing keys quickly. */
export const KEY_MAKING_BUDGETS: readonly Budget[] = [{ calls: 2 * MAX_LIVE_KEYS, seconds: HOUR }]
/** Downloads of all data of a user's own account. They are few, because each reads the whole audit log. */
export const EXPORT_BUDGETS: readonly Budget[] = [{ calls: 5, seconds: HOUR }]
/**
 * Changes of the webhook address and secret, test events and repeated deliveries, per user of a partner. The address may be any public one,
 * so without a limit a user could make this service send many requests to a stranger.
 */
export const WEBHOOK_BUDGETS: readonly Budget[] = [
  { calls: 20, seconds: MINUTE },
  { calls: 200, seconds: HOUR },
]
/** Payment actions of a user. Each calls the payment service, which limits the calls of this service as a whole. */
export const PAYMENT_BUDGETS: readonly Budget[] = [
  { calls: 10, seconds: MINUTE },
  { calls: 60, seconds: HOUR },
]
/** Products that a founder begins, and looks for the proof of a claim. Each makes this service send requests to another site. */
export const FOUNDER_BUDGETS: readonly Budget[] = [
  { calls: 10, seconds: MINUTE },
  { calls: 60, seconds: HOUR },
]
/** Attempts to sign in, to sign up or to use a link. */
export const SIGN_IN_BUDGETS: Record<'address' | 'email' | 'emailAnywhere', readonly Budget[]> = {
  /** From one IP address. */
  address: [
    { calls: 10, seconds: MINUTE },
    { calls: 60, seconds: HOUR },
  ],
  /** For one e-mail address from one IP address. */
  email: [
    { calls: 5, seconds: MINUTE },
    { calls: 30, seconds: HOUR },
  ],
  /** For one e-mail address from all IP addresses. It is higher, because an attacker can use it up and so lock the user out. */
  emailAnywhere: [
    { calls: 30, seconds: MINUTE },
    { calls: 180, seconds: HOUR },
  ],
}

/** Mails with a link that visitors request. The sender is the visitor's IP address, the recipient an e-mail address. */
export const MAIL_BUDGETS = {
  /** Mails to one e-mail address, from all senders. */
  perRecipient: [
    { calls: 3, seconds: HOUR },
    { calls: 10, seconds: DAY },
  ],
  /** Mails that one IP address requests. */
  perSender: [
    { calls: 10, seconds: HOUR },
    { calls: 30, seconds: DAY },
  ],
  /** Decides whether a request is the first of this sender for this recipient today. */
  perPair: [{ calls: 1, seconds: DAY }],
  /**
   * The first requests of their senders after `perRecipient` is used up: each gets a mail, so that strangers cannot keep a user from a new
   * password.
   */
  firstRequestsPerRecipient: [{ calls: 20, seconds: DAY }],
} satisfies Record<string, readonly Budget[]>

/** Reports about listings that visitors send, per IP address. */
export const REPORT_BUDGETS = {
  all: [
    { calls: 5, seconds: MINUTE },
    { calls: 20, seconds: DAY },
  ],
  /** About one listing. Further ones are accepted and not counted. */
  ofListing: [{ calls: 1, seconds: DAY }],
} satisfies Record<string, readonly Budget[]>

/** Accounts created from one IP address. Without a limit, further accounts would bring further keys and so further budgets. */
export const signUpBudgets = (perDay: number): readonly Budget[] => [{ calls: perDay, seconds: DAY }]

// `scale` is RATE_LIMIT_SCALE, which load tests set. No budget is scaled to zero.
export const scaledCalls = (calls: number, scale: number): number => Math.max(1, Math.round(calls * scale))
export const scaled = (budgets: readonly Budget[], scale: number): Budget[] =>
  budgets.map(({ calls, seconds }) => ({ calls: scaledCalls(calls, scale), seconds }))
