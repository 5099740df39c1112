// Signing in: the interface to the sign-in library, and the rules that the library does not have.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import { badRequest, forbidden } from '../../kernel/errors.ts'
import { tryReadBody } from '../../kernel/input.ts'
import { HOUR_MS } from '../../kernel/values/days.ts'
import { insertAudit } from '../audit/queries.ts'
import * as queries from './queries.ts'
import { LINK_HOURS, MAIL_LINK_HOURS, normalizeEmail, passwordProblem } from './rules.ts'
import { emailBody, type Plan, type UserRole } from './schema.ts'

export interface SessionUser {
  id: string
  email: string
  name: string
  plan: Plan
  role: UserRole
  banned: boolean
  partnerId: string | null
  createdAt: Date
}

/** Takes the fields that this service uses from a row of the sign-in library. */
export function sessionUserOf(row: object): SessionUser {
  const { id, email, name, plan, role, banned, partnerId, createdAt } = row as SessionUser
  return { id, email, name, plan, role, banned, partnerId, createdAt }
}

export interface Session {
  id: string
  user: SessionUser
  /** The values of Set-Cookie headers for the answer, one header each. */
  cookies: string[]
}

export type NewSession = Omit<Session, 'id'>

/** The first call loads the sign-in library, which takes a second. Parameters named `cookies` are Cookie headers. */
interface SignIn {
  /** The part of a Cookie header that may be a session, or null; needs no library. */
  sessionCookie(cookies: string | undefined): string | null
  /** `renew` extends the session, so that one in use does not expire. */
  session(cookies: string, options: { renew: boolean }): Promise<Session | null>
  /** null when the e-mail address is taken; both answers take the same time. `checkAllowed` is called before a user is created. */
  signUp(email: string, password: string, checkAllowed: CheckAllowed): Promise<NewSession | null>
  /** null when the user does not exist or the password is wrong. All answers take the same time. */
  signIn(email: string, password: string): Promise<NewSession | null>
  signOut(cookies: string): Promise<string[]>
  /** Ends all sessions of the user, starts a new one and returns its cookies. null when the current password is wrong. */
  changePassword(cookies: string, current: string, next: string): Promise<string[] | null>
  hash(password: string): Promise<string>
  github: GithubSignIn | null
}

interface GithubSignIn {
  /** Where to send the browser. */
  begin(next: string): Promise<{ url: string; cookies: string[] }>
  /** The result after GitHub sent the browser back, or why signing in failed. */
  finish(query: string, cookies: string, checkAllowed: CheckAllowed): Promise<GithubReturn | { problem: string }>
}

/** Called when a user is about to be created. Counts the user, and throws when the visitor has created too many. */
type CheckAllowed = () => Promise<void>

interface GithubReturn {
  /** The `next` that was passed to `begin`. */
  next: string
  /** Whether this sign-in created the user, according to the database. */
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

export async function signUp(ctx: Context, email: string, password: string, check: CheckAllowed): Promise<NewSession> {
  const address = readAddress(email)
  checkPassword(password)
  const session = await ctx.signIn.signUp(address, password, check)
  // Holds also for a user that an operator created: signing up must not give a stranger the plan and keys of that user.
  if (!session) throw badRequest(TAKEN)
  await insertAudit(ctx.db, accountEntry(ctx, session.user, 'account.create'))
  return session
}

/** null when the user does not exist or the password is wrong. */
export async function signIn(ctx: Context, email: string, password: string): Promise<NewSession | null> {
  const session = await ctx.signIn.signIn(readAddress(email), password)
  if (session) await refuseBanned(ctx, session.user)
  return session
}

/** Called only after a sign-in has succeeded, so that a visitor who does not know the password is not told of the ban. */
async function refuseBanned(ctx: Context, user: SessionUser): Promise<void> {
  if (!user.banned) return
  await queries.deleteSessionsOfUser(ctx.db, user.id)
  throw forbidden(BANNED)
}

/** After a sign-in with GitHub: refuses a banned user, as `signIn` does, and notes a new account in the audit log. */
export async function enterFromGithub(ctx: Context, { cookies, isNew }: GithubReturn): Promise<void> {
  const header = cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ')
  const session = await ctx.signIn.session(header, { renew: false })
  if (!session) throw forbidden('Signing in with GitHub did not work. Try again.')
  await refuseBanned(ctx, session.user)
  if (isNew) await insertAudit(ctx.db, accountEntry(ctx, session.user, 'account.create', { with: 'github' }))
}

export async function changePassword(
  ctx: Context,
  user: SessionUser,
  cookies: string,
  { current, next }: { current: string; next: string },
): Promise<string[]> {
  checkPassword(next)
  const renewed = await ctx.signIn.changePassword(cookies, current, next)
  if (!renewed) throw badRequest('The current password is wrong.')
  // An unused link would still let its holder set another password.
  await queries.deleteLinksOfUser(ctx.db, user.id)
  await insertAudit(ctx.db, accountEntry(ctx, user, 'account.password'))
  return renewed
}

/** Creates a link with which the user sets a password. Earlier links of the user stop working. */
export async function makeLink(ctx: Context, userId: string): Promise<{ url: string; expiresAt: Date }> {
  await queries.deleteLinksOfUser(ctx.db, userId)
  return storeLink(ctx, { userId }, LINK_HOURS)
}

/**
 * Creates a link for a mail. A user sets a new password with it; the holder of an address without an account creates one. Earlier links keep
 * working, because anyone may ask for such a mail. `next` is the path to which the browser goes afterwards.
 */
export async function makeMailLink(
  ctx: Context,
  whose: { email: string; userId?: string },
  next = '',
): Promise<string> {
  const { url } = await storeLink(ctx, whose, MAIL_LINK_HOURS)
  return next ? `${url}&next=${encodeURIComponent(next)}` : url
}

/** Creates the link for the first administrator; null when an administrator exists. */
export async function makeFirstLink(ctx: Context): Promise<string | null> {
  if (await queries.hasAdministrator(ctx.db)) return null
  return (await storeLink(ctx, {}, LINK_HOURS)).url
}

/** Without a user and an address, the link makes the first administrator. */
async function storeLink(
  ctx: Context,
  { userId = null, email = null }: { userId?: string | null; email?: string | null },
  hours: number,
): Promise<{ url: string; expiresAt: Date }> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = ctx.now()
  const expiresAt = new Date(createdAt.getTime() + hours * HOUR_MS)
  await queries.insertLink(ctx.db, { hash: hashToken(token), userId, email, createdAt, expiresAt })
  // The token is in the query and not in the path, because paths are logged.
  return { url: `${ctx.publicUrl}/link?token=${token}`, expiresAt }
}

export interface LinkTarget {
  /** null for the first administrator's link, whose holder enters one. */
  email: string | null
  makesAccount: boolean
  /**
   * The user, if the account has a way to sign in but its address was never confirmed: a stranger may have made it, and this mailed link is
   * the first proof of the owner.
   */
  unconfirmedUserId: string | null
}

/** What a link is for; undefined when it does not work. */
export async function findLink(ctx: Context, token: string): Promise<LinkTarget | undefined> {
  const link = await queries.findSignInLink(ctx.db, hashToken(token), ctx.now())
  if (!link) return undefined
  const target = { email: link.email, makesAccount: !link.userId, unconfirmedUserId: null }
  if (!link.userId) {
    const isTaken = link.email
      ? await queries.findUserByEmail(ctx.db, link.email)
      : await queries.hasAdministrator(ctx.db)
    return isTaken ? undefined : target
  }
  const user = await queries.findUser(ctx.db, link.userId)
  if (!user || user.banned) return undefined
  const isFirstProof = link.email !== null && (await hasUnconfirmedSignIn(ctx, user))
  return { ...target, email: user.email, unconfirmedUserId: isFirstProof ? user.id : null }
}

/** Whether the account has a way to sign in although its address was never confirmed: a stranger may have created it. */
const hasUnconfirmedSignIn = async (ctx: Context, { id, emailVerified }: queries.UserRow): Promise<boolean> =>
  !emailVerified && (await queries.listProvidersOfUser(ctx.db, id)).length > 0

const SPENT = 'This link has been used or has expired. Ask for a new one.'

export interface LinkUse {
  /** Used only for the first administrator's link. */
  email: string
  password: string
  /** Called before a mailed link makes an account. */
  checkAllowed: CheckAllowed
  /** Called in the transaction when `unconfirmedUserId` is set, to end what a stranger may have made. */
  whenConfirmed(ctx: TransactionContext, user: queries.UserRow): Promise<void>
}

/** Sets the password and signs in; works once. */
export async function redeemLink(ctx: Context, token: string, use: LinkUse): Promise<NewSession> {
  checkPassword(use.password)
  const target = await findLink(ctx, token)
  if (!target) throw forbidden(SPENT)
  if (target.makesAccount && target.email !== null) await use.checkAllowed()
  // Hashing takes a while, so it is done outside the transaction.
  const hash = await ctx.signIn.hash(use.password)
  const user = await ctx.transaction(async (ctx) => {
    const { user, isMailed } = await spendLink(ctx, token, use.email)
    const now = ctx.now()
    if (isMailed && (await hasUnconfirmedSignIn(ctx, user))) await use.whenConfirmed(ctx, user)
    if (isMailed && !user.emailVerified) await queries.updateEmailVerified(ctx.db, user.id, now)
    const credential = { id: randomUUID(), userId: user.id, providerId: 'credential', accountId: user.id }
    await queries.upsertPassword(ctx.db, { ...credential, password: hash, createdAt: now, updatedAt: now })
    await queries.deleteSessionsOfUser(ctx.db, user.id)
    // Any other link would still let its holder set another password.
    await queries.deleteLinksOfUser(ctx.db, user.id)
    await queries.deleteLinksOfEmail(ctx.db, user.email)
    // A stranger may have signed up with this address before without proving that it is theirs. That access ends here.
    await queries.deleteOtherCredentials(ctx.db, user.id)
    await insertAudit(ctx.db, accountEntry(ctx, user, 'account.link-used', { role: user.role }))
    return user
  })
  const session = await ctx.signIn.signIn(user.email, use.password)
  if (!session) throw forbidden(SPENT)
  return session
}

/** Deletes the link and returns its user, who is created for a new account. A mailed link proves that the address is the user's. */
async function spendLink(ctx: TransactionContext, token: string, email: string) {
  const hash = hashToken(token)
  const link = await queries.findSignInLink(ctx.db, hash, ctx.now())
  if (link && !link.userId && link.email) return { user: await addConfirmedUser(ctx, hash, link.email), isMailed: true }
  if (link && !link.userId) {
    const deletedLinks = await queries.deleteFirstAdministratorLinks(ctx.db)
    if (!deletedLinks.some((row) => row.hash === hash) || (await queries.hasAdministrator(ctx.db)))
      throw forbidden(SPENT)
    return { user: await makeFirstAdministrator(ctx, email), isMailed: false }
  }
  const redeemedLink = await queries.deleteLink(ctx.db, hash, ctx.now())
  const user = redeemedLink?.userId ? await queries.findUserForUpdate(ctx.db, redeemedLink.userId) : undefined
  if (!user || user.banned) throw forbidden(SPENT)
  return { user, isMailed: redeemedLink?.email === user.email }
}

/** Creates the account of an address that its holder has confirmed by opening the link. */
async function addConfirmedUser(ctx: TransactionContext, hash: string, email: string): Promise<queries.UserRow> {
  if (!(await queries.deleteLink(ctx.db, hash, ctx.now()))) throw forbidden(SPENT)
  const now = ctx.now()
  const made = { id: orderedId(), email, emailVerified: true, createdAt: now, updatedAt: now }
  const user = await queries.insertUser(ctx.db, made)
  if (!user) throw forbidden(SPENT)
  await insertAudit(ctx.db, accountEntry(ctx, user, 'account.create', { with: 'mail' }))
  return user
}

async function makeFirstAdministrator(ctx: TransactionContext, typed: string): Promise<queries.UserRow> {
  const email = readAddress(typed)
  const now = ctx.now()
  const user = { id: orderedId(), email, createdAt: now, updatedAt: now }
  const { id } = await queries.insertOrFindUser(ctx.db, user)
  // The link is shown only on the machine of the service, so its holder may take over an existing or even a banned user.
  const administrator = await queries.updateUser(ctx.db, id, { role: 'admin', banned: false, updatedAt: now })
  await ctx.announce({ topic: 'users', ids: [id] })
  return administrator
}

export function readAddress(typed: string): string {
  const read = tryReadBody(emailBody, { email: normalizeEmail(typed) })
  if ('problems' in read) throw badRequest('That is not an e-mail address.')
  return read.value.email
}

function checkPassword(password: string): void {
  const problem = passwordProblem(password)
  if (problem) throw badRequest(problem)
}

const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** A request that signs in has no caller yet, so the actor is the user who signs in. */
const accountEntry = (
  ctx: Context,
  user: Pick<SessionUser, 'id' | 'email'>,
  action: string,
  details: Record<string, unknown> = {},
) => ({ at: ctx.now(), actor: user.email, action, subject: `user:${user.id}`, details })
