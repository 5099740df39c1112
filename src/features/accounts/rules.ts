// Passwords, links and where a browser may be sent.
export const LEAST_PASSWORD = 10
export const MOST_PASSWORD = 128
export const LINK_HOURS = 24

/** Length counts and nothing else: rules about digits and signs make passwords that are written on paper. */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password]
  if (length < LEAST_PASSWORD) return `The password must have at least ${LEAST_PASSWORD} characters.`
  if (password.length > MOST_PASSWORD) return `The password must have at most ${MOST_PASSWORD} characters.`
  return undefined
}

/** As it is stored and compared. */
export const normalAddress = (email: string): string => email.trim().toLowerCase()

const NOWHERE = 'http://nowhere.invalid'

/** The address when it is one of ours, otherwise `fallback`: a sign-in form must not send people elsewhere. */
export function localPath(given: unknown, fallback: string): string {
  if (typeof given !== 'string' || !/^\/(?![/\\])/.test(given) || /[\\\p{Cc}]/u.test(given)) return fallback
  const url = URL.parse(given, NOWHERE)
  if (url?.origin !== NOWHERE || url.pathname.startsWith('//')) return fallback
  return url.pathname + url.search + url.hash
}
