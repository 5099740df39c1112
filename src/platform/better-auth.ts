// Passwords, sessions and sign-in with GitHub, by better-auth. Our pages call its functions; none of its own routes is served.
import { AsyncLocalStorage } from 'node:async_hooks'
import { availableParallelism } from 'node:os'
import type { Auth, BetterAuthOptions } from 'better-auth'
import { parseCookie, stringifyCookie } from 'cookie'
import { cookiePrefix, sessionCookieName } from '../kernel/addresses/cookie-names.ts'
import type { Database, Log } from '../kernel/context.ts'
import { orderedId } from '../kernel/database/ordered-id.ts'
import { Failure } from '../kernel/errors.ts'
import { EMAIL_PATTERN } from '../kernel/schema.ts'
import { createConcurrencyLimit } from '../kernel/work/turns.ts'

const EMAIL = new RegExp(EMAIL_PATTERN)

interface SignInOptions<User> {
  db: Database
  /** Throws until the database may be used. */
  checkStarted(): void
  /** Our tables, by the names that better-auth uses for them. */
  tables: Record<'user' | 'session' | 'account' | 'verification', object>
  /** The user of a row, with the fields that the service uses. */
  userOf(row: object): User
  publicUrl: string
  secret: string
  github: { clientId: string; clientSecret: string } | null
  passwordLengths: { least: number; most: number }
  sessionDays: number
  log: Log
}

// Hashing a password keeps a processor busy on purpose, in threads that pictures and sessions need too. One processor stays free, so
// that a flood of sign-ins does not delay all other requests.
const HASHES_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
const MOST_WAITING = 16
const tooMany = () =>
  new Failure(503, 'Too many people are signing in at this moment. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })

/** State of one call of better-auth that may create a user. Only better-auth knows whether the user exists already. */
interface UserCreation {
  /** Throws when no user may be created. */
  checkAllowed(): Promise<void>
  /**
   * The hash of the password. It is made beforehand, because better-auth would make it inside a transaction and keep the one connection
   * of the embedded database busy.
   */
  hash: string | undefined
  refusal: unknown
  isCreated: boolean
}
const userCreation = new AsyncLocalStorage<UserCreation>()

/** Runs a call of better-auth that may create a user; throws what `checkAllowed` threw. */
async function allowingCreation<T>(
  { checkAllowed, hash }: { checkAllowed: UserCreation['checkAllowed']; hash?: string },
  work: () => Promise<T>,
): Promise<{ result: T; isCreated: boolean }> {
  const state: UserCreation = { checkAllowed, hash, refusal: null, isCreated: false }
  const result = await userCreation.run(state, work)
  if (state.refusal) throw state.refusal
  return { result, isCreated: state.isCreated }
}

const DAY_SECONDS = 24 * 3600
// GitHub redirects browsers to this path, followed by /callback/github.
const BASE_PATH = '/sign-in'

export function createSignIn<User>(options: SignInOptions<User>) {
  const { db, publicUrl, userOf } = options
  const secure = publicUrl.startsWith('https:')
  const cookieName = sessionCookieName(publicUrl)
  let loaded: Promise<Auth> | undefined
  const hashing = createConcurrencyLimit(HASHES_AT_ONCE, MOST_WAITING, tooMany)
  const load = () => {
    options.checkStarted()
    return (loaded ??= loadLibrary(options, cookieName, secure))
  }

  const sessionCookie = (cookies: string | undefined): string | null => parseCookie(cookies ?? '')[cookieName] || null

  /** Contains only the session cookie, encoded anew: better-auth must find the same session that `sessionCookie` found. */
  const sessionHeaders = (cookies: string): Headers =>
    new Headers({ cookie: stringifyCookie({ [cookieName]: sessionCookie(cookies) ?? '' }) })

  /** better-auth does not say why it failed. If the database is not reachable, this statement throws the outage. */
  const throwIfDatabaseAway = () => db.execute('select 1')

  /** Returns null when better-auth refuses. Throws when it fails: as an outage if the database is not reachable. */
  async function ask<T>(work: (auth: Auth) => Promise<T>): Promise<T | null> {
    const auth = await load()
    try {
      return await work(auth)
    } catch (error) {
      const status = (error as { statusCode?: unknown }).statusCode
      if (typeof status === 'number' && status < 500) return null
      await throwIfDatabaseAway()
      throw error
    }
  }

  return {
    sessionCookie,

    async session(cookies: string, { renew }: { renew: boolean }) {
      const answer = await ask((auth) =>
        auth.api.getSession({
          headers: sessionHeaders(cookies),
          query: { disableRefresh: !renew },
          returnHeaders: true,
        }),
      )
      const found = answer?.response
      return found ? { id: found.session.id, user: userOf(found.user), cookies: answer.headers.getSetCookie() } : null
    },

    async signUp(email: string, password: string, checkAllowed: () => Promise<void>) {
      const hash = await this.hash(password)
      // For a taken address better-auth answers as if it had created the user; only `isCreated` tells the difference.
      const { isCreated } = await allowingCreation({ checkAllowed, hash }, () =>
        ask((auth) => auth.api.signUpEmail({ body: { email, password, name: '' } })),
      )
      // Done also for a taken address, so that both cases take equally long.
      const session = await this.signIn(email, password)
      return isCreated ? session : null
    },

    async signIn(email: string, password: string) {
      const answer = await hashing(() =>
        ask((auth) => auth.api.signInEmail({ body: { email, password }, returnHeaders: true })),
      )
      return answer && { user: userOf(answer.response.user), cookies: answer.headers.getSetCookie() }
    },

    async signOut(cookies: string): Promise<string[]> {
      const answer = await ask((auth) => auth.api.signOut({ headers: sessionHeaders(cookies), returnHeaders: true }))
      return answer?.headers.getSetCookie() ?? []
    },

    async changePassword(cookies: string, current: string, next: string): Promise<string[] | null> {
      const answer = await hashing(() =>
        ask((auth) =>
          auth.api.changePassword({
            headers: sessionHeaders(cookies),
            body: { currentPassword: current, newPassword: next, revokeOtherSessions: true },
            returnHeaders: true,
          }),
        ),
      )
      return answer?.headers.getSetCookie() ?? null
    },

    hash: (password: string): Promise<string> =>
      hashing(async () => (await (await load()).$context).password.hash(password)),

    github: options.github && {
      async begin(next: string): Promise<{ url: string; cookies: string[] }> {
        const auth = await load()
        const answer = await auth.api.signInSocial({
          body: { provider: 'github', callbackURL: next, errorCallbackURL: FAILED, disableRedirect: true },
          returnHeaders: true,
        })
        const { url } = answer.response
        if (!url) throw new Error('The sign-in library gave no address of GitHub.')
        return { url, cookies: answer.headers.getSetCookie() }
      },

      async finish(query: string, sentCookies: string, checkAllowed: () => Promise<void>) {
        const auth = await load()
        const request = new Request(`${publicUrl}${BASE_PATH}/callback/github?${query}`, {
          headers: { cookie: sentCookies },
        })
        const { result: answer, isCreated } = await allowingCreation({ checkAllowed }, () =>
          auth.handler(request).catch((error: unknown) => {
            options.log.warn({ err: error }, 'sign-in: GitHub answered what cannot be read')
            return new Response(null, { status: 500 })
          }),
        )
        if (answer.status >= 500) await throwIfDatabaseAway()
        const to = new URL(answer.headers.get('location') ?? FAILED, publicUrl)
        const cookies = answer.headers.getSetCookie()
        // The browser chose the address that this redirects to, so only a session cookie proves that the sign-in succeeded.
        if (!cookies.some((cookie) => sessionCookie(cookie)))
          return { problem: to.searchParams.get('error') ?? 'unknown' }
        return { next: to.pathname + to.search, isNew: isCreated, cookies }
      },
    },
  }
}

// better-auth needs an address for failures; no browser is ever sent to it.
const FAILED = `${BASE_PATH}/failed`

async function loadLibrary(options: SignInOptions<unknown>, cookieName: string, secure: boolean): Promise<Auth> {
  const [{ betterAuth }, { hashPassword }, { drizzleAdapter }] = await Promise.all([
    import('better-auth'),
    import('better-auth/crypto'),
    import('better-auth/adapters/drizzle'),
  ])
  const hash = async (password: string) => userCreation.getStore()?.hash ?? hashPassword(password)
  return betterAuth({
    ...libraryOptions(options, hash, cookieName, secure),
    database: drizzleAdapter(options.db as never, {
      provider: 'pg',
      schema: options.tables as never,
      // A user and its first credential are created in one transaction.
      transaction: true,
    }),
  }) as Auth
}

function libraryOptions(
  { publicUrl, secret, github, passwordLengths, sessionDays, log }: SignInOptions<unknown>,
  hash: (password: string) => Promise<string>,
  cookieName: string,
  secure: boolean,
): BetterAuthOptions {
  const serverOnly = { required: false, input: false } as const
  return {
    baseURL: publicUrl,
    basePath: BASE_PATH,
    secret,
    telemetry: { enabled: false },
    // Only the message is logged: further arguments contain users' e-mail addresses.
    logger: { level: 'error', log: (_level, message) => log.warn({}, `sign-in: ${message}`) },
    // Otherwise better-auth writes errors to the console instead of our log, including text that GitHub sent.
    onAPIError: { throw: true },
    // The service's own limiter has limited sign-ins before this code runs.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      // With false, better-auth gives the same answer, after the same time, for an address that is taken.
      autoSignIn: false,
      password: { hash },
      minPasswordLength: passwordLengths.least,
      maxPasswordLength: passwordLengths.most,
    },
    ...(github ? { socialProviders: { github } } : {}),
    user: {
      additionalFields: {
        plan: { type: 'string', ...serverOnly },
        role: { type: 'string', ...serverOnly },
        banned: { type: 'boolean', ...serverOnly },
        partnerId: { type: 'string', ...serverOnly },
      },
    },
    // E-mail addresses are not verified, so an equal address must not connect two ways of signing in.
    account: { accountLinking: { enabled: false }, updateAccountOnSignIn: false },
    session: { expiresIn: sessionDays * DAY_SECONDS, updateAge: DAY_SECONDS },
    databaseHooks: {
      user: {
        create: {
          // GitHub sends the address. A text that is not an e-mail address must not become a user's name in lists and logs.
          before: async ({ email }) => EMAIL.test(email) && (await mayCreate()),
          after: async () => {
            const state = userCreation.getStore()
            if (state) state.isCreated = true
          },
        },
      },
      account: {
        create: {
          // GitHub's tokens are only needed to identify the user once. They allow more than that, so they are not stored.
          before: async (account) => ({
            data: Object.assign({ ...account }, { accessToken: null, refreshToken: null, idToken: null }),
          }),
        },
      },
    },
    advanced: {
      // `cookiePrefix` already adds __Host-, which is stricter than the __Secure- that this option would add.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure },
      cookiePrefix: cookiePrefix(publicUrl),
      cookies: { session_token: { name: cookieName } },
      ipAddress: { disableIpTracking: true },
      database: { generateId: orderedId },
    },
  }
}

async function mayCreate(): Promise<boolean> {
  const state = userCreation.getStore()
  if (!state) return false
  try {
    await state.checkAllowed()
    return true
  } catch (error) {
    // better-auth would report the error as its own failure, so it is kept and thrown later.
    state.refusal = error
    return false
  }
}
