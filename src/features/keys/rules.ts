// The format, checksum and hash of API keys, and the caller (rights and budgets) that a stored key stands for.
import { createHash, createHmac, hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Access, Bucket, Budget, Caller } from '../../kernel/caller.ts'
import type { Plan } from '../accounts/schema.ts'
import { FREE_MCP_TIMES, KEY_BUDGETS, MINUTE, PARTNER_BUDGETS, scaled } from './budgets.rules.ts'

/** The version of the acceptable-use policy that owners of new keys agree to. */
export const POLICY_VERSION = '2026-11-01'
/** For how many hours a key works on after another has replaced it: by default, and at most. */
export const DEFAULT_OVERLAP_HOURS = 24
export const MAX_OVERLAP_HOURS = 168
/** A live key that its owner does not have: the response that contained it was not delivered, and the key was never used. */
export const isUnheld = (key: { shownAt?: unknown; lastUsedAt?: unknown; revokedAt?: unknown }): boolean =>
  key.revokedAt === null && key.shownAt === null && key.lastUsedAt === null

/** The APIs that take a key; usage is counted for each. */
export const SURFACES = ['rest', 'mcp'] as const
export type Surface = (typeof SURFACES)[number]

export const KEY_KINDS = ['catalog', 'partner'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

export interface KeyEntry {
  id: string
  hash: string
  last4: string
  userId: string | null
  partnerId: string | null
  test: boolean
  /** Whether the partner may forward its users' questions. */
  support: boolean
  plan: Plan
  /** When the key stops working because another one replaced it; null: it works until it is revoked. */
  endsAt: Date | null
}

const CATALOG_ACCESS: ReadonlySet<Access> = new Set<Access>(['catalog'])
const PARTNER_ACCESS: ReadonlySet<Access> = new Set<Access>([...CATALOG_ACCESS, 'partner'])
const SUPPORTED_ACCESS: ReadonlySet<Access> = new Set<Access>([...PARTNER_ACCESS, 'support'])

const LAST4_PATTERN = /^[0-9A-Za-z]{1,16}$/

/**
 * Says what is wrong with a stored key, or returns undefined. Only these two values are checked: the plan selects the budgets, and `last4`
 * is written to every log line.
 */
export function keyProblem({ plan, last4 }: Pick<KeyEntry, 'plan' | 'last4'>): string | undefined {
  const problems: string[] = []
  if (!Object.hasOwn(KEY_BUDGETS.rest, plan ?? ''))
    problems.push(`plan must be one of ${Object.keys(KEY_BUDGETS.rest).join(', ')}.`)
  if (!LAST4_PATTERN.test(last4)) problems.push('last4 must be letters or digits.')
  return problems.length > 0 ? problems.join(' ') : undefined
}

/** The caller of requests with this key. Its rights and budgets come from the stored row, never from the text of the key. */
export function callerOf(entry: Omit<KeyEntry, 'endsAt'>, scale: number): Caller {
  const partnerAccess = entry.support ? SUPPORTED_ACCESS : PARTNER_ACCESS
  const perMinute = (calls: number) => scaled([{ calls, seconds: MINUTE }], scale)
  const budgets = new Map<Bucket, Budget[]>([
    ['rest', perMinute(KEY_BUDGETS.rest[entry.plan])],
    ['mcp', perMinute(KEY_BUDGETS.mcp[entry.plan])],
    ['mcp-free', perMinute(KEY_BUDGETS.mcp[entry.plan] * FREE_MCP_TIMES)],
  ])
  if (entry.partnerId)
    for (const bucket of Object.keys(PARTNER_BUDGETS) as (keyof typeof PARTNER_BUDGETS)[])
      budgets.set(bucket, perMinute(PARTNER_BUDGETS[bucket]))
  return {
    kind: 'key',
    id: entry.id,
    owner: entry.userId ?? entry.partnerId ?? entry.id,
    // The label has only ASCII characters: it is in every log line, and any other character would double the size of the line in memory.
    label: `key ...${entry.last4}`,
    access: entry.partnerId ? partnerAccess : CATALOG_ACCESS,
    budgets,
    partnerId: entry.partnerId,
    ...(entry.test ? { isTest: true } : {}),
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
// aid_ is a catalog key, aid_p_ a partner key, aid_test_ a partner's key to its sandbox, aid_o_ an access token of an OAuth client.
const KEY_PATTERN = new RegExp(`^aid_(?:(?:p|o|test)_)?[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

const PREFIXES = { catalog: 'aid_', partner: 'aid_p_', test: 'aid_test_' } as const

export const generateKey = (kind: KeyKind | 'test'): string => generateCredential(PREFIXES[kind])

/** Every secret that clients send begins with `aid_`, because the log replaces all text that does. */
export function generateCredential(prefix: `aid_${string}`): string {
  let text: string = prefix
  for (let i = 0; i < RANDOM_LENGTH; i++) text += ALPHABET[randomInt(ALPHABET.length)]
  return text + checksum(text)
}

function checksum(text: string): string {
  let remaining = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[remaining % ALPHABET.length] + digits
    remaining = Math.floor(remaining / ALPHABET.length)
  }
  return digits
}

export const hasKeyForm = (text: string): boolean => KEY_PATTERN.test(text)

/** Rules out most typos and guesses without a database query. */
export const hasRightChecksum = (key: string): boolean => key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)))

/**
 * Hashes the key with the secret pepper, in one fast call because every request needs it. A plain hash is enough instead of an HMAC: keys
 * have a fixed length, so an attacker cannot append to the hashed text.
 */
export const hashKey = (pepper: string, key: string): string => hash('sha256', `${pepper}\n${key}`, 'base64url')

export const pepperFingerprint = (pepper: string): string =>
  createHash('sha256').update(`fingerprint:${pepper}`).digest('hex').slice(0, 16)

/** Derives a secret for one purpose. Machines with the same pepper derive the same one, and no derived secret reveals another. */
export const derivedSecret = (pepper: string, purpose: string): string =>
  createHmac('sha256', pepper).update(purpose).digest('base64url')
