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
  const url = URL.parse(text)
  if (!url) return 'must be a complete address'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.protocol === 'https:') return HOST.test(url.hostname) ? undefined : 'must have an ordinary host name'
  if (url.protocol === 'http:') return LOOPBACK.test(text) ? undefined : 'must use https, except on localhost'
  const scheme = url.protocol.slice(0, -1)
  return (SCHEME.test(scheme) && scheme.length <= LONGEST_SCHEME) || KNOWN_SCHEMES.has(scheme)
    ? undefined
    : `must not use the scheme ${scheme.slice(0, 20)}: a scheme of a program is a domain name backwards, such as com.example.app`
}

/** null: not an address of the user's own computer. */
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
