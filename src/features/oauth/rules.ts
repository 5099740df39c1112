// OAuth sign-in of programs: limits, lifetimes and formats of codes and tokens, and the caller that a token stands for.
import type { Caller } from '../../kernel/caller.ts'
import type { Plan } from '../accounts/schema.ts'
import { callerOf, generateCredential } from '../keys/rules.ts'

/** The scope that every token has. */
export const SCOPE = 'catalog:read'
/** Lets a program of an administrator work at /mcp/operator. A program must ask for it, and the administrator allows it apart. */
export const OPERATOR_SCOPE = 'operator'

export const asksForOperator = ({ scope = '' }: Readonly<Record<string, string>>): boolean =>
  scope.split(' ').includes(OPERATOR_SCOPE)

export const scopesOf = ({ operator }: { operator: boolean }): string =>
  operator ? `${SCOPE} ${OPERATOR_SCOPE}` : SCOPE

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** After a refresh, the previous access token works for this long, because requests with it may be on their way. */
export const OVERLAP_SECONDS = MINUTE
/** How many sign-ins of one program a user may have at a time, such as on several machines. */
export const MAX_SIGN_INS = 10
/** How many refreshed tokens of a grant are kept to detect their second use. A program refreshes about 24 times a day. */
export const MAX_REFRESHED = 1000
/** How many live grants a user may have. Limited like the number of keys, because each grant has its own budget. */
export const MAX_LIVE_GRANTS = 10

const ACCESS_PREFIX = 'aid_o_'
export const isAccessToken = (text: string): boolean => text.startsWith(ACCESS_PREFIX)

/** The settings of the OAuth library. */
export const PROTOCOL_SETTINGS = {
  scope: SCOPE,
  codeSeconds: MINUTE,
  accessSeconds: HOUR,
  /** Since the last refresh: a program that is not used for this long must ask the user again. */
  refreshSeconds: 30 * DAY,
  generateCode: () => generateCredential('aid_c_'),
  generateAccessToken: () => generateCredential(ACCESS_PREFIX),
  generateRefreshToken: () => generateCredential('aid_r_'),
}

/**
 * The caller of requests with a token: it has the rights and the budgets of a catalog key of the user's plan. `operator` is the
 * administrator, and names administrator and program in the audit log, if the program may work as an operator.
 */
export const grantCaller = (
  { grantId, userId, plan, operator }: { grantId: string; userId: string; plan: Plan; operator?: OperatorNames },
  scale: number,
): Caller => ({
  ...callerOf({ id: grantId, hash: '', last4: '', userId, partnerId: null, test: false, support: false, plan }, scale),
  kind: 'grant',
  label: `app ${grantId.slice(0, 8)}`,
  ...operator,
})

type OperatorNames = Required<Pick<Caller, 'person' | 'operatorLabel'>>

/** The MCP addresses, which are the resources that a token is for; the last one wants the scope `operator`. A request that names another one is refused. */
export const RESOURCE_PATHS = ['/mcp', '/mcp/research', '/mcp/operator'] as const

// Characters that show nothing or change the direction of the text around them. A program chooses its own name.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu
const MOST_NAME = 80

/** The name of a program as pages show it. */
export function programName(given: unknown): string {
  // The length is bounded before the pattern sees the text.
  const text = typeof given === 'string' ? given.slice(0, 1000).replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim() : ''
  return [...text].slice(0, MOST_NAME).join('') || 'A program without a name'
}
