// Passwords, how long sessions and links work, and the spelling of e-mail addresses.
import { parseUrl } from '../../kernel/addresses/web-address.ts'
export const MIN_PASSWORD_LENGTH = 10
export const MAX_PASSWORD_LENGTH = 128
/** How long a browser stays signed in without a visit. */
export const SESSION_DAYS = 14
/** How long a sign-in link works that an operator hands out or that the first start prints. */
export const LINK_HOURS = 24
/** How long a sign-in link in a mail works. */
export const MAIL_LINK_HOURS = 1

/** Checks only the length: rules about digits and signs make people write their passwords on paper. */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password]
  if (length < MIN_PASSWORD_LENGTH) return `The password must have at least ${MIN_PASSWORD_LENGTH} characters.`
  if (password.length > MAX_PASSWORD_LENGTH) return `The password must have at most ${MAX_PASSWORD_LENGTH} characters.`
  return undefined
}

/** The spelling in which addresses are stored and compared. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

// A browser reads a path that begins with // or /\ as the address of another host.
const BEGINS_AS_PATH = /^\/(?![/\\])/
const PLACEHOLDER_ORIGIN = 'http://nowhere.invalid'

/** Returns `given` if it is a path on this service, otherwise `fallback`: a sign-in form must not send a browser to another site. */
export function localPath(given: unknown, fallback: string): string {
  if (typeof given !== 'string' || !BEGINS_AS_PATH.test(given) || /[\\\p{Cc}]/u.test(given)) return fallback
  const url = parseUrl(given, PLACEHOLDER_ORIGIN)
  if (url?.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith('//')) return fallback
  return url.pathname + url.search + url.hash
}
