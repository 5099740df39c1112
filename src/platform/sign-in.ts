// Passwords, sessions and GitHub, by better-auth. None of its own addresses is served: its functions are called.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Auth, BetterAuthOptions } from 'better-auth'
import type { Database, Log } from '../kernel/context.ts'
import { cookiePrefix, sessionCookieName } from '../kernel/cookies.ts'
import { Failure } from '../kernel/errors.ts'
import { EMAIL_PATTERN } from '../kernel/schema.ts'
import { createTurns } from './turns.ts'

const EMAIL = new RegExp(EMAIL_PATTERN)

export interface SignInOptions {
  db: Database
  /** Throws until the database may be used. */
  checkStarted(): void
  /** Under the names that the library has for them. */
  tables: Record<'user' | 'session' | 'account' | 'verification', object>
  publicUrl: string
  secret: string
  github: { clientId: string; clientSecret: string } | null
  passwordLengths: { least: number; most: number }
  log: Log
}

interface User {
  id: string
  email: string
  name: string
  plan: 'standard' | 'premium'
  role: 'user' | 'admin'
  banned: boolean
  partnerId: string | null
  createdAt: Date
}

// Hashing a password keeps a processor busy on purpose, in threads that pictures and sessions need too: a flood of sign-ins must not
// keep all other requests waiting, so a processor is left to them.
const HASHES_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
const MOST_WAITING = 16
const tooMany = () =>
  new Failure(503, 'Too many people are signing in at this moment. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })

/** What becomes of a user that one call of the library is about to make: only the library knows whether there is one already. */
interface Making {
  /** Throws when no user may be made. */
  mayMake(): Promise<void>
  /** Of the password, made beforehand: the library would make it inside a transaction, and the embedded database has one connection. */
  hash: string | undefined
  refusal: unknown
  made: boolean
}
const making = new AsyncLocalStorage<Making>()

/** Runs a call of the library in which a user may be made; throws what `mayMake` threw. */
async function withMaking<T>(
  { mayMake, hash }: { mayMake: Making['mayMake']; hash?: string },
  work: () => Promise<T>,
): Promise<{ result: T; made: boolean }> {
  const state: Making = { mayMake, hash, refusal: null, made: false }
  const result = await making.run(state, work)
  if (state.refusal) throw state.refusal
  return { result, made: state.made }
}

const DAY_SECONDS = 24 * 3600
const SESSION_DAYS = 14
// GitHub sends people back to this path, followed by /callback/github.
const BASE_PATH = '/sign-in'

export function createSignIn(options: SignInOptions) {
  const { db, publicUrl } = options
  const secure = publicUrl.startsWith('https:')
  const cookieName = sessionCookieName(publicUrl)
  const sessionCookie = new RegExp(`(?:^|;\\s*)${cookieName}=([^;\\s]+)`)
  let loaded: Promise<Auth> | undefined
  const hashing = createTurns(HASHES_AT_ONCE, MOST_WAITING, tooMany)
  const load = () => {
    options.checkStarted()
    return (loaded ??= loadLibrary(options, cookieName, secure))
  }

  /** What the library refuses is `null`; what it could not do is thrown, as an outage when the database is away. */
  async function ask<T>(work: (auth: Auth) => Promise<T>): Promise<T | null> {
    const auth = await load()
    try {
      return await work(auth)
    } catch (error) {
      const status = (error as { statusCode?: unknown }).statusCode
      if (typeof status === 'number' && status < 500) return null
      // The library does not say why it failed. If the database is away, this says so.
      await db.execute('select 1')
      throw error
    }
  }

  return {
    sessionCookie: (cookies: string | undefined): string | null =>
      (cookies === undefined ? null : sessionCookie.exec(cookies)?.[1]) ?? null,

    async session(cookies: string, renew: boolean) {
      const answer = await ask((auth) =>
        auth.api.getSession({
          headers: new Headers({ cookie: cookies }),
          query: { disableRefresh: !renew },
          returnHeaders: true,
        }),
      )
      const found = answer?.response
      return found ? { id: found.session.id, user: userOf(found.user), cookies: answer.headers.getSetCookie() } : null
    },

    async signUp(email: string, password: string, mayMake: () => Promise<void>) {
      // It answers as if it had made the user when the address is taken.
      const hash = await this.hash(password)
      const { made } = await withMaking({ mayMake, hash }, () =>
        ask((auth) => auth.api.signUpEmail({ body: { email, password, name: '' } })),
      )
      // Also when it is taken, so that it takes as long.
      const session = await this.signIn(email, password)
      return made ? session : null
    },

    async signIn(email: string, password: string) {
      const answer = await hashing(() =>
        ask((auth) => auth.api.signInEmail({ body: { email, password }, returnHeaders: true })),
      )
      return answer && { user: userOf(answer.response.user), cookies: answer.headers.getSetCookie() }
    },

    async signOut(cookies: string): Promise<string[]> {
      const answer = await ask((auth) =>
        auth.api.signOut({ headers: new Headers({ cookie: cookies }), returnHeaders: true }),
      )
      return answer?.headers.getSetCookie() ?? []
    },

    async changePassword(cookies: string, current: string, next: string): Promise<string[] | null> {
      const answer = await hashing(() =>
        ask((auth) =>
          auth.api.changePassword({
            headers: new Headers({ cookie: cookies }),
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
          body: {
            provider: 'github',
            callbackURL: next,
            errorCallbackURL: FAILED,
            disableRedirect: true,
          },
          returnHeaders: true,
        })
        return { url: answer.response.url!, cookies: answer.headers.getSetCookie() }
      },

      async finish(query: string, held: string, mayMake: () => Promise<void>) {
        const auth = await load()
        const request = new Request(`${publicUrl}${BASE_PATH}/callback/github?${query}`, { headers: { cookie: held } })
        const { result: answer, made } = await withMaking({ mayMake }, () =>
          auth.handler(request).catch((error: unknown) => {
            options.log.warn({ err: error }, 'sign-in: GitHub answered what cannot be read')
            return new Response(null, { status: 500 })
          }),
        )
        if (answer.status >= 500) await db.execute('select 1')
        const to = new URL(answer.headers.get('location') ?? FAILED, publicUrl)
        const cookies = answer.headers.getSetCookie()
        // The address it leads to was given by the browser and proves nothing; the session does.
        if (!sessionCookie.test(cookies.join('; '))) return { problem: to.searchParams.get('error') ?? 'unknown' }
        return { next: to.pathname + to.search, isNew: made, cookies }
      },
    },
  }
}

// An address that the library is told, and that no browser gets to see.
const FAILED = `${BASE_PATH}/failed`

async function loadLibrary(options: SignInOptions, cookieName: string, secure: boolean): Promise<Auth> {
  const [{ betterAuth }, { hashPassword }, { drizzleAdapter }] = await Promise.all([
    import('better-auth'),
    import('better-auth/crypto'),
    import('better-auth/adapters/drizzle'),
  ])
  const hash = async (password: string) => making.getStore()?.hash ?? hashPassword(password)
  return betterAuth({
    ...libraryOptions(options, hash, cookieName, secure),
    database: drizzleAdapter(options.db as never, {
      provider: 'pg',
      schema: options.tables as never,
      // No user without the credential that it was made with.
      transaction: true,
    }),
  }) as Auth
}

function libraryOptions(
  { publicUrl, secret, github, passwordLengths, log }: SignInOptions,
  hash: (password: string) => Promise<string>,
  cookieName: string,
  secure: boolean,
): BetterAuthOptions {
  const unset = { required: false, input: false } as const
  return {
    baseURL: publicUrl,
    basePath: BASE_PATH,
    secret,
    telemetry: { enabled: false },
    // It names people's addresses in its lines; what went wrong is enough.
    logger: { level: 'error', log: (_level, message) => log.warn({}, `sign-in: ${message}`) },
    // It would write what went wrong past the log, with whatever somebody else answered in it.
    onAPIError: { throw: true },
    // Sign-ins are limited before they come here, with the service's own limiter.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      // With this it takes as long, and answers the same, for an address that is taken.
      autoSignIn: false,
      password: { hash },
      minPasswordLength: passwordLengths.least,
      maxPasswordLength: passwordLengths.most,
    },
    ...(github ? { socialProviders: { github } } : {}),
    user: {
      additionalFields: {
        plan: { type: 'string', ...unset },
        role: { type: 'string', ...unset },
        banned: { type: 'boolean', ...unset },
        partnerId: { type: 'string', ...unset },
      },
    },
    // Nobody proves an address to us, so an address alone must not join two ways of signing in.
    account: { accountLinking: { enabled: false }, updateAccountOnSignIn: false },
    session: { expiresIn: SESSION_DAYS * DAY_SECONDS, updateAge: DAY_SECONDS },
    databaseHooks: {
      user: {
        create: {
          // GitHub tells the address; what is none must not become the name of somebody in lists and logs.
          before: async ({ email }) => EMAIL.test(email) && (await mayBeMade()),
          after: async () => {
            const state = making.getStore()
            if (state) state.made = true
          },
        },
      },
      account: {
        create: {
          // GitHub is asked once who somebody is. Its tokens open more than that and are not kept.
          before: async (account) => ({
            data: Object.assign({ ...account }, { accessToken: null, refreshToken: null, idToken: null }),
          }),
        },
      },
    },
    advanced: {
      // The names carry the prefix already, and a stricter one.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure },
      cookiePrefix: cookiePrefix(publicUrl),
      cookies: { session_token: { name: cookieName } },
      ipAddress: { disableIpTracking: true },
      database: { generateId: () => randomUUID() },
    },
  }
}

async function mayBeMade(): Promise<boolean> {
  const state = making.getStore()
  if (!state) return false
  try {
    await state.mayMake()
    return true
  } catch (error) {
    // The library would take it for a fault of its own.
    state.refusal = error
    return false
  }
}

function userOf(user: object): User {
  const { id, email, name, plan, role, banned, partnerId, createdAt } = user as User
  return { id, email, name, plan, role, banned, partnerId, createdAt }
}
