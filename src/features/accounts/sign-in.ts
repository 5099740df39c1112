// Signing in: what is asked of the library that does it, and the decisions that are ours.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Context, Database, TransactionContext } from '../../kernel/context.ts'
import { badRequest, forbidden } from '../../kernel/errors.ts'
import { tryReadBody } from '../../kernel/input.ts'
import { insertAudit } from '../audit/queries.ts'
import * as queries from './queries.ts'
import { LINK_HOURS, normalAddress, passwordProblem } from './rules.ts'
import { emailBody, type Plan, type Role } from './schema.ts'

export interface SessionUser {
  id: string
  email: string
  name: string
  plan: Plan
  role: Role
  banned: boolean
  partnerId: string | null
  createdAt: Date
}

export interface Session {
  id: string
  user: SessionUser
  /** Set-Cookie headers to be passed on, each one its own header. */
  cookies: string[]
}

export type NewSession = Omit<Session, 'id'>

/** The library behind it takes a second to load, so it is loaded by the first call of any of these. Cookies are Cookie headers. */
export interface SignIn {
  /** What of a Cookie header may be a session, or null; answered without the library. */
  sessionCookie(cookies: string | undefined): string | null
  /** `renew`: a session that is used does not end. */
  session(cookies: string, renew: boolean): Promise<Session | null>
  /** null: the address is taken. It takes the same time either way. `mayMake` is asked before a user is made, and throws when none may be. */
  signUp(email: string, password: string, mayMake: MayMakeUser): Promise<NewSession | null>
  /** null: no such user, or not this password; whichever it is, it takes the same time. */
  signIn(email: string, password: string): Promise<NewSession | null>
  /** Ends this session. */
  signOut(cookies: string): Promise<string[]>
  /** Ends all sessions of the user and begins a new one. null: the current password is another. */
  changePassword(cookies: string, current: string, next: string): Promise<string[] | null>
  hash(password: string): Promise<string>
  github: GithubSignIn | null
}

export interface GithubSignIn {
  /** Where to send the browser. */
  begin(next: string): Promise<{ url: string; cookies: string[] }>
  /** What came back from there, or why it failed. */
  finish(query: string, cookies: string, mayMake: MayMakeUser): Promise<GithubReturn | { problem: string }>
}

/** Throws when no user may be made at the moment; called only when one would be, and counts it. */
export type MayMakeUser = () => Promise<void>

export interface GithubReturn {
  /** As it was given. */
  next: string
  /** Whether the user was made by this, as the database tells. */
  isNew: boolean
  cookies: string[]
}

declare module '../../kernel/context.ts' {
  interface Context {
    signIn: SignIn
  }
}

const BANNED = 'This account is banned.'
const TAKEN =
  'An account with this address cannot be made here. If the address is yours, sign in, or ask the operator of this service for a sign-in link.'

export async function signUp(ctx: Context, email: string, password: string, mayMake: MayMakeUser): Promise<NewSession> {
  const address = readAddress(email)
  checkPassword(password)
  const session = await ctx.signIn.signUp(address, password, mayMake)
  // Also when the operator made a user for this address: the plan and the keys are not for whoever comes first.
  if (!session) throw badRequest(TAKEN)
  await insertAudit(ctx.db, entry(ctx, session.user, 'account.create'))
  return session
}

/** null: wrong, whatever of it was wrong. */
export async function signIn(ctx: Context, email: string, password: string): Promise<NewSession | null> {
  const session = await ctx.signIn.signIn(readAddress(email), password)
  if (session?.user.banned) {
    await queries.deleteSessionsOfUser(ctx.db, session.user.id)
    // Said only to somebody who knows the password.
    throw forbidden(BANNED)
  }
  return session
}

/** Back from GitHub with a session: the same decisions as after a password. */
export async function enterFromGithub(ctx: Context, { cookies, isNew }: GithubReturn): Promise<void> {
  const header = cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ')
  const session = await ctx.signIn.session(header, false)
  if (!session) throw forbidden('Signing in with GitHub did not work. Try again.')
  if (session.user.banned) {
    await queries.deleteSessionsOfUser(ctx.db, session.user.id)
    throw forbidden(BANNED)
  }
  if (isNew) await insertAudit(ctx.db, entry(ctx, session.user, 'account.create', { with: 'github' }))
}

export async function changePassword(
  ctx: Context,
  user: SessionUser,
  cookies: string,
  { current, next }: { current: string; next: string },
): Promise<string[]> {
  checkPassword(next)
  const renewed = await ctx.signIn.changePassword(cookies, current, next)
  if (!renewed) throw badRequest('The current password is another.')
  // A link that lies about somewhere would undo it.
  await queries.deleteLinksOfUser(ctx.db, user.id)
  await insertAudit(ctx.db, entry(ctx, user, 'account.password'))
  return renewed
}

/** A link with which this user sets a password. Links made before no longer work. */
export async function makeLink(ctx: Context, userId: string): Promise<{ url: string; expiresAt: Date }> {
  await queries.deleteLinksOfUser(ctx.db, userId)
  return storeLink(ctx, userId)
}

/** The link for the first administrator; null when there is one. */
export async function makeFirstLink(ctx: Context): Promise<string | null> {
  if (await queries.hasAdministrator(ctx.db)) return null
  return (await storeLink(ctx, null)).url
}

async function storeLink(ctx: Context, userId: string | null): Promise<{ url: string; expiresAt: Date }> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = ctx.now()
  const expiresAt = new Date(createdAt.getTime() + LINK_HOURS * 3_600_000)
  await queries.insertLink(ctx.db, { hash: hashToken(token), userId, createdAt, expiresAt })
  // In the query and not in the path, because paths are logged.
  return { url: `${ctx.publicUrl}/link?token=${token}`, expiresAt }
}

/** Whose link it is; `null` in place of an address means that of the first administrator, who is asked for one. */
export async function findLink(ctx: Context, token: string): Promise<{ email: string | null } | undefined> {
  const link = await queries.findLink(ctx.db, hashToken(token), ctx.now())
  if (!link) return undefined
  if (!link.userId) return (await queries.hasAdministrator(ctx.db)) ? undefined : { email: null }
  const user = await queries.findUser(ctx.db, link.userId)
  return user && !user.banned ? { email: user.email } : undefined
}

const SPENT = 'This link has been used or has expired. Ask the operator of this service for a new one.'

/** Sets the password, once, and signs in. `email` counts only for the first administrator's link. */
export async function redeemLink(ctx: Context, token: string, email: string, password: string): Promise<NewSession> {
  checkPassword(password)
  if (!(await findLink(ctx, token))) throw forbidden(SPENT)
  // Outside the transaction, because it takes a while.
  const hash = await ctx.signIn.hash(password)
  const user = await ctx.transaction(async (ctx) => {
    const user = await redeem(ctx, token, email)
    const now = ctx.now()
    const credential = { id: randomUUID(), userId: user.id, providerId: 'credential', accountId: user.id }
    await queries.upsertPassword(ctx.db, { ...credential, password: hash, createdAt: now, updatedAt: now })
    await queries.deleteSessionsOfUser(ctx.db, user.id)
    // Whoever signed up with this address before without having proven it has no other way in any more.
    await queries.deleteOtherCredentials(ctx.db, user.id)
    await insertAudit(ctx.db, entry(ctx, user, 'account.link-used', { role: user.role }))
    return user
  })
  const session = await ctx.signIn.signIn(user.email, password)
  if (!session) throw forbidden(SPENT)
  return session
}

async function redeem(ctx: TransactionContext, token: string, email: string): Promise<queries.UserRow> {
  const hash = hashToken(token)
  const link = await queries.findLink(ctx.db, hash, ctx.now())
  if (link && !link.userId) {
    const had = await queries.deleteFirstLinks(ctx.db)
    if (!had.some((row) => row.hash === hash) || (await queries.hasAdministrator(ctx.db))) throw forbidden(SPENT)
    return firstAdministrator(ctx, email)
  }
  const taken = await queries.deleteLink(ctx.db, hash, ctx.now())
  const user = taken?.userId ? await queries.findUserForUpdate(ctx.db, taken.userId) : undefined
  if (!user || user.banned) throw forbidden(SPENT)
  return user
}

async function firstAdministrator(ctx: TransactionContext, typed: string): Promise<queries.UserRow> {
  const email = readAddress(typed)
  const now = ctx.now()
  await queries.insertUser(ctx.db, { id: randomUUID(), email, createdAt: now, updatedAt: now })
  const { id } = (await queries.findUserByEmail(ctx.db, email))!
  // Whoever has the link has the machine: it may take an address that was used before, and a ban does not stop it.
  const user = await queries.updateUser(ctx.db, id, { role: 'admin', banned: false, updatedAt: now })
  await ctx.announce({ topic: 'users', ids: [id] })
  return user!
}

export const forgetExpired = (db: Database, now: Date) => queries.deleteExpired(db, now)

function readAddress(typed: string): string {
  const read = tryReadBody(emailBody, { email: normalAddress(typed) })
  if ('problems' in read) throw badRequest('That is not an e-mail address.')
  return read.value.email
}

function checkPassword(password: string): void {
  const problem = passwordProblem(password)
  if (problem) throw badRequest(problem)
}

const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Signing in has no caller yet: whoever it is about did it. */
const entry = (
  ctx: Context,
  user: Pick<SessionUser, 'id' | 'email'>,
  action: string,
  details: Record<string, unknown> = {},
) => ({ at: ctx.now(), actor: user.email, action, subject: `user:${user.id}`, details })
