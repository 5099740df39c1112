// The form of keys, how they are hashed, and every rate limit of the service.
import { createHash, createHmac, hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Access, Bucket, Budget, Caller } from '../../kernel/caller.ts'
import type { Plan } from '../accounts/schema.ts'

/** The acceptable-use policy that a key's owner agreed to. */
export const POLICY_VERSION = '2026-11-01'
/** A live key whose answer was cut off and that was never used. */
export const isUnheld = (key: { shownAt?: unknown; lastUsedAt?: unknown; revokedAt?: unknown }): boolean =>
  key.revokedAt === null && key.shownAt === null && key.lastUsedAt === null

export const MAX_LIVE_KEYS = 10

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

/** The APIs that take a key; usage is counted for each. */
export const SURFACES = ['rest', 'mcp'] as const
export type Surface = (typeof SURFACES)[number]

export const KEY_KINDS = ['catalog', 'partner'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

/** Calls a minute by bucket and plan. */
export const KEY_BUDGETS: Record<Surface, Record<Plan, number>> = {
  rest: { standard: 10, premium: 60 },
  mcp: { standard: 30, premium: 120 },
}
/** MCP messages that are not charged (initialize, ping, tools/list …) are limited to this many times the budget of calls. */
export const FREE_MCP_TIMES = 10
/** What a plan costs a month; the currency is that of the operator's price. */
export const PLAN_PRICES: Record<Plan, number> = { standard: 0, premium: 9 }
/** Calls a minute of a partner's writes. */
export const PARTNER_BUDGETS = { submit: 20, support: 60 } satisfies Partial<Record<Bucket, number>>
/** Keyless answers, by address. */
export const VISITOR_BUDGETS: readonly [minute: Budget, hour: Budget] = [
  { calls: 60, seconds: MINUTE },
  { calls: 400, seconds: HOUR },
]

/** Results that the search in the head of a page shows while a visitor types, by address. Typing must not cost pages. */
export const SUGGESTION_BUDGETS: readonly Budget[] = [
  { calls: 120, seconds: MINUTE },
  { calls: 1200, seconds: HOUR },
]

/** Pages of a signed-in user. */
export const PAGE_BUDGETS: readonly Budget[] = [{ calls: 240, seconds: MINUTE }]
/**
 * Sign-in for agents: registrations of programs and requests for tokens and reads of the metadata from one IP address, and consent pages
 * and their forms of programs whose document is fetched, for one user. A host with many users sends all their requests from few addresses.
 */
export const OAUTH_BUDGETS: Record<'register' | 'token' | 'metadata' | 'document', readonly Budget[]> = {
  register: [
    { calls: 20, seconds: HOUR },
    { calls: 60, seconds: DAY },
  ],
  token: [
    { calls: 120, seconds: MINUTE },
    { calls: 3000, seconds: HOUR },
  ],
  metadata: [{ calls: 600, seconds: MINUTE }],
  document: [{ calls: 60, seconds: HOUR }],
}
/** Keys that a user creates. A new key has a new budget, so replacing keys quickly must not be a way around the limits. */
export const KEY_MAKING_BUDGETS: readonly Budget[] = [{ calls: 2 * MAX_LIVE_KEYS, seconds: HOUR }]
/** Downloads of everything about the own account, each of which reads the whole audit log. */
export const EXPORT_BUDGETS: readonly Budget[] = [{ calls: 5, seconds: HOUR }]
/**
 * What a partner's user does with its webhooks: sending again, test events, the address, the secret. The address may be any public one, so
 * the service must not be a means to send many requests to it.
 */
export const WEBHOOK_BUDGETS: readonly Budget[] = [
  { calls: 20, seconds: MINUTE },
  { calls: 200, seconds: HOUR },
]
/** What a user does with payments; each asks the payment service, which limits what the whole service may ask. */
export const PAYMENT_BUDGETS: readonly Budget[] = [
  { calls: 10, seconds: MINUTE },
  { calls: 60, seconds: HOUR },
]
/**
 * Attempts to sign in, to sign up or to use a link: from one IP address, for one e-mail address from one IP address, and for one e-mail
 * address from all IP addresses. The last limit is wider, because otherwise an attacker could easily lock a user out.
 */
export const SIGN_IN_BUDGETS: Record<'address' | 'email' | 'emailAnywhere', readonly Budget[]> = {
  address: [
    { calls: 10, seconds: MINUTE },
    { calls: 60, seconds: HOUR },
  ],
  email: [
    { calls: 5, seconds: MINUTE },
    { calls: 30, seconds: HOUR },
  ],
  emailAnywhere: [
    { calls: 30, seconds: MINUTE },
    { calls: 180, seconds: HOUR },
  ],
}

/**
 * Mails with a link that visitors ask for. The sender is the visitor's IP address, the recipient an e-mail address. When the mails to a
 * recipient are used up, a sender that has asked for none still gets one, so that strangers cannot keep a user from setting a new password.
 */
export const MAIL_BUDGETS = {
  perRecipient: [
    { calls: 3, seconds: HOUR },
    { calls: 10, seconds: DAY },
  ],
  perSender: [
    { calls: 10, seconds: HOUR },
    { calls: 30, seconds: DAY },
  ],
  perPair: [{ calls: 1, seconds: DAY }],
  firstRequestsPerRecipient: [{ calls: 20, seconds: DAY }],
} satisfies Record<string, readonly Budget[]>

/** Accounts created from one IP address. They are limited because each account has keys, and each key a budget. */
export const signUpBudgets = (perDay: number): readonly Budget[] => [{ calls: perDay, seconds: DAY }]

// A load test may scale the budgets, but never to zero.
export const scaledCalls = (calls: number, scale: number): number => Math.max(1, Math.round(calls * scale))
export const scaled = (budgets: readonly Budget[], scale: number): Budget[] =>
  budgets.map(({ calls, seconds }) => ({ calls: scaledCalls(calls, scale), seconds }))

export interface KeyEntry {
  id: string
  hash: string
  last4: string
  userId: string | null
  partnerId: string | null
  test: boolean
  /** Whether the partner may forward questions. */
  support: boolean
  plan: Plan
  /** When the key stops by itself; null: it works until it is revoked. */
  endsAt: Date | null
}

const CATALOG_ACCESS: ReadonlySet<Access> = new Set<Access>(['catalog'])
const PARTNER_ACCESS: ReadonlySet<Access> = new Set<Access>([...CATALOG_ACCESS, 'partner'])
const SUPPORTED_ACCESS: ReadonlySet<Access> = new Set<Access>([...PARTNER_ACCESS, 'support'])

const LAST4 = /^[0-9A-Za-z]{1,16}$/

/**
 * Why a stored key is refused, in sentences; undefined when it is accepted. The plan decides the budgets, and the last characters are
 * written to every log line.
 */
export function keyProblem({ plan, last4 }: Pick<KeyEntry, 'plan' | 'last4'>): string | undefined {
  const problems = [
    Object.hasOwn(KEY_BUDGETS.rest, plan ?? '')
      ? []
      : `plan must be one of ${Object.keys(KEY_BUDGETS.rest).join(', ')}.`,
    LAST4.test(last4) ? [] : 'last4 must be letters or digits.',
  ].flat()
  return problems.length > 0 ? problems.join(' ') : undefined
}

/** Rights and budgets come from the stored row, never from the key's text. */
export function callerOf(entry: Omit<KeyEntry, 'endsAt'>, scale: number): Caller {
  const minute = (calls: number) => scaled([{ calls, seconds: MINUTE }], scale)
  const budgets = new Map<Bucket, Budget[]>([
    ['rest', minute(KEY_BUDGETS.rest[entry.plan])],
    ['mcp', minute(KEY_BUDGETS.mcp[entry.plan])],
    ['mcp-free', minute(KEY_BUDGETS.mcp[entry.plan] * FREE_MCP_TIMES)],
  ])
  if (entry.partnerId)
    for (const bucket of Object.keys(PARTNER_BUDGETS) as (keyof typeof PARTNER_BUDGETS)[])
      budgets.set(bucket, minute(PARTNER_BUDGETS[bucket]))
  return {
    kind: 'key',
    id: entry.id,
    owner: entry.userId ?? entry.partnerId ?? entry.id,
    // Plain ASCII, because it is in every log line and another character would double the line's size in memory.
    label: `key ...${entry.last4}`,
    access: entry.support ? SUPPORTED_ACCESS : entry.partnerId ? PARTNER_ACCESS : CATALOG_ACCESS,
    budgets,
    clientId: entry.partnerId,
    ...(entry.test ? { isTest: true } : {}),
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
// aid_p_ is a partner key, aid_test_ one to the sandbox, aid_o_ the access token of a program that a user signed in to.
const KEY = new RegExp(`^aid_(?:(?:p|o|test)_)?[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

const PREFIXES = { catalog: 'aid_', partner: 'aid_p_', test: 'aid_test_' } as const

export const generateKey = (kind: KeyKind | 'test'): string => generateCredential(PREFIXES[kind])

/** The log replaces everything that begins with `aid_`, so every secret that clients send begins with it. */
export function generateCredential(prefix: `aid_${string}`): string {
  let text: string = prefix
  for (let i = 0; i < RANDOM_LENGTH; i++) text += ALPHABET[randomInt(ALPHABET.length)]
  return text + checksum(text)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let written = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    written = ALPHABET[rest % ALPHABET.length] + written
    rest = Math.floor(rest / ALPHABET.length)
  }
  return written
}

export const hasKeyForm = (text: string): boolean => KEY.test(text)

/** Tells a key from a typo or a guess without asking the database. */
export const hasRightChecksum = (key: string): boolean => key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)))

/**
 * A keyed hash in one fast call, because every request needs it. The secret comes first and keys have a fixed length, so an attacker
 * cannot append to the hashed text.
 */
export const hashKey = (pepper: string, key: string): string =>
  hash(
    'sha256',
    `${pepper}
${key}`,
    'base64url',
  )

export const pepperFingerprint = (pepper: string): string =>
  createHash('sha256').update(`fingerprint:${pepper}`).digest('hex').slice(0, 16)

/** A secret for one purpose. Machines that share the pepper get the same one, and one purpose's secret does not reveal another's. */
export const derivedSecret = (pepper: string, purpose: string): string =>
  createHmac('sha256', pepper).update(purpose).digest('base64url')
