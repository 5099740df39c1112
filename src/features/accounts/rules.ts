export const MIN_PASSWORD_LENGTH = 10
export const MAX_PASSWORD_LENGTH = 128
export const LINK_HOURS = 24
/** Links that are sent by mail. */
export const MAIL_LINK_HOURS = 1

/** Only the length is checked: with rules about digits and signs, people write their passwords on paper. */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password]
  if (length < MIN_PASSWORD_LENGTH) return `The password must have at least ${MIN_PASSWORD_LENGTH} characters.`
  if (password.length > MAX_PASSWORD_LENGTH) return `The password must have at most ${MAX_PASSWORD_LENGTH} characters.`
  return undefined
}

/** The spelling in which addresses are stored and compared. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

const NOWHERE = 'http://nowhere.invalid'

/** The path if it is one on this service, otherwise `fallback`: a sign-in form must not send a browser to another site. */
export function localPath(given: unknown, fallback: string): string {
  if (typeof given !== 'string' || !/^\/(?![/\\])/.test(given) || /[\\\p{Cc}]/u.test(given)) return fallback
  const url = URL.parse(given, NOWHERE)
  if (url?.origin !== NOWHERE || url.pathname.startsWith('//')) return fallback
  return url.pathname + url.search + url.hash
}
