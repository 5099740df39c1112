// OAuth sign-in of programs: limits, lifetimes and formats of codes and tokens, the caller that a token stands for, and the addresses to
// which a program may send the browser back.
import { parseUrl } from '../../kernel/addresses/web-address.ts'
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

/**
 * The addresses that a token may be requested for (`resource`); the last one needs the scope `operator`. A request that names another
 * address is refused.
 */
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

// The addresses to which a program may send the browser back after the user has decided about its request.

const MOST_LENGTH = 1000
// The scheme of a program is a domain name backwards, so it has dots (RFC 8252, 7.1). These MCP hosts have a scheme without a dot. Any
// other scheme without a dot is refused, because it may start another program on the user's computer.
const KNOWN_SCHEMES = new Set(
  'antigravity boltai chatbox cherrystudio chatwise claude cline continue cursor goose kiro librechat lmstudio msty raycast trae vscode vscode-insiders vscodium warp windsurf windsurf-next witsy zed'.split(
    ' ',
  ),
)
// The host becomes part of the page's content security policy, so only these characters are accepted.
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/
const SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/
const LONGEST_SCHEME = 63
// Addresses of the user's own computer. A program that listens there uses any free port.
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(\/.*)?$/

/** What is wrong with a redirect address, as the end of a sentence, or undefined. */
export function redirectProblem(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > MOST_LENGTH)
    return `must be a text of at most ${MOST_LENGTH} characters`
  if (!/^[!-~]*$/.test(text) || /[\\#]/.test(text))
    return 'must have no fragment, no spaces, no backslashes and only ASCII characters: write others percent-encoded, and a host in punycode'
  const url = parseUrl(text)
  if (!url) return 'must be a complete address'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.protocol === 'https:') return HOST.test(url.hostname) ? undefined : 'must have an ordinary host name'
  if (url.protocol === 'http:') return LOOPBACK.test(text) ? undefined : 'must use https, except on localhost'
  const scheme = url.protocol.slice(0, -1)
  return (SCHEME.test(scheme) && scheme.length <= LONGEST_SCHEME) || KNOWN_SCHEMES.has(scheme)
    ? undefined
    : `must not use the scheme ${scheme.slice(0, 20)}: a scheme of a program is a domain name backwards, such as com.example.app`
}

/** The host and path of an address of the user's own computer, without its port; null for any other address. */
const withoutPort = (text: string): string | null => {
  const found = LOOPBACK.exec(text)
  return found ? `${found[1]} ${found[2] ?? ''}` : null
}

/** Compares character by character, except for the port on the user's own computer (RFC 8252, 7.3). */
export const isRegisteredRedirect = (registered: readonly string[], given: string): boolean =>
  redirectProblem(given) === undefined &&
  registered.some((one) => one === given || (withoutPort(one) !== null && withoutPort(one) === withoutPort(given)))

/** Where the browser goes after the decision, as the consent page tells the user. */
export type RedirectTarget =
  | { kind: 'this-computer' }
  | { kind: 'program'; scheme: string }
  | { kind: 'site'; host: string }

export function redirectTarget(redirectUri: string): RedirectTarget {
  const url = new URL(redirectUri)
  if (url.protocol === 'https:') return { kind: 'site', host: url.host }
  return url.protocol === 'http:' ? { kind: 'this-computer' } : { kind: 'program', scheme: url.protocol.slice(0, -1) }
}

/** Adds the parameters to the query of the address, which has no fragment. The query that the program registered stays as it is. */
export function withParameters(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) added.append(name, value)
  return `${address}${address.includes('?') ? '&' : '?'}${added}`
}
