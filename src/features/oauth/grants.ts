// A grant is the permission of a user for a program. It begins when the user allows access, and it never works again after its end. Its
// access tokens are the second source of the cache of keys.
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import { badRequest, forbidden, orNotFound } from '../../kernel/errors.ts'
import type { OAuthProtocol } from '../../kernel/interfaces/oauth-protocol.ts'
import { findUserForUpdate } from '../accounts/queries.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Credential, CredentialSource } from '../keys/key-cache.ts'
import { keyProblem, POLICY_VERSION } from '../keys/rules.ts'
import { tellUser } from '../mail/mail.ts'
import * as queries from './queries.ts'
import { grantCaller, isAccessToken, MAX_LIVE_GRANTS, programName } from './rules.ts'
import type { Ending } from './schema.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    oauthProtocol: OAuthProtocol
  }
}

/**
 * Finds or creates the grant of the signed-in user for this program, and returns its id. `agreesToPolicy`: the user agrees to the
 * acceptable-use policy now. `operator`: whether the program may work as an operator; undefined: it did not ask, and what was allowed
 * before stays.
 */
export async function allowClient(
  ctx: TransactionContext,
  client: Pick<queries.ClientRow, 'id' | 'name'>,
  agreesToPolicy: boolean,
  operator?: boolean,
): Promise<string> {
  // Locked, so that concurrent requests cannot exceed the limit of live grants.
  const user = await findUserForUpdate(ctx.db, ctx.caller.id)
  if (!user || user.banned) throw forbidden('This account cannot allow access.')
  if (operator && user.role !== 'admin') throw forbidden('Only an administrator can let a program work as an operator.')
  const policyAgreedAt = agreesToPolicy ? ctx.now() : await queries.findAgreement(ctx.db, user.id, POLICY_VERSION)
  if (!policyAgreedAt) throw badRequest('Access needs your agreement to the acceptable-use policy.')
  const live = await queries.findLiveGrant(ctx.db, user.id, client.id)
  if (live) {
    if (agreesToPolicy) await queries.updateGrantAgreement(ctx.db, live.id, POLICY_VERSION, policyAgreedAt)
    if (operator !== undefined && operator !== live.operator) {
      await queries.updateGrantOperator(ctx.db, live.id, operator)
      await writeAudit(ctx, 'grant.change', `grant:${live.id}`, { operator })
      await ctx.announce({ topic: GRANTS_TOPIC, ids: [live.id] })
    }
    return live.id
  }
  if ((await queries.listLiveGrants(ctx.db, user.id)).length >= MAX_LIVE_GRANTS)
    throw badRequest(
      `You have allowed access to ${MAX_LIVE_GRANTS} programs, the most one may have. Withdraw one under Apps first.`,
    )
  const id = orderedId()
  await queries.insertGrant(ctx.db, {
    id,
    userId: user.id,
    clientId: client.id,
    operator: operator ?? false,
    policyVersion: POLICY_VERSION,
    policyAgreedAt,
    createdAt: ctx.now(),
    endedAt: null,
    endedBy: null,
  })
  await writeAudit(ctx, 'grant.allow', `grant:${id}`, {
    program: client.name,
    client: client.id,
    ...(operator ? { operator } : {}),
  })
  const details = { program: programName(client.name) }
  await tellUser(ctx, { event: id, kind: 'grant-given', userId: user.id, details })
  return id
}

/** Ends a grant with all its tokens. Ending it again changes nothing. With `userId`, only a grant of that user is ended. */
export async function endGrant(ctx: TransactionContext, id: string, endedBy: Ending, userId?: string): Promise<void> {
  if (!(await queries.updateGrantEnded(ctx.db, id, ctx.now(), endedBy, userId))) return
  await queries.deleteSecretsOfGrant(ctx.db, id)
  await writeAudit(ctx, 'grant.end', `grant:${id}`, { by: endedBy })
  await ctx.announce({ topic: GRANTS_TOPIC, ids: [id] })
}

/** Ends a grant, at once in this process and within a second in every other, and returns it. With `userId`, only a grant of that user. */
export const withdraw = (ctx: Context, id: string, by: Ending, userId?: string) =>
  ctx.transaction(async (ctx) => {
    await endGrant(ctx, id, by, userId)
    return orNotFound(await queries.findGrant(ctx.db, { id, user: userId }, ctx.now()), 'Grant')
  })

/** The topic of the change announcements about grants. */
export const GRANTS_TOPIC = 'grants'

type LiveToken = Awaited<ReturnType<typeof queries.listLiveTokens>>[number]

/**
 * Access tokens as a source of the key cache: they are checked without the database, and a ban, a new plan or a withdrawal applies at once.
 */
export function tokenSource(scale: number): CredentialSource {
  const credentialOf = ({ grantId, userId, plan, ...token }: LiveToken): Credential => {
    const operatorLabel = `${token.email} via ${programName(token.program)}`
    const operator = token.operator ? { person: token.email, operatorLabel } : undefined
    return {
      ...{ id: grantId, userId, partnerId: null },
      hash: token.hash,
      expiresAt: token.expiresAt.getTime(),
      // A token has no `last4`, so the check gets a valid one.
      caller: keyProblem({ plan, last4: '0000' }) ?? grantCaller({ grantId, userId, plan, operator }, scale),
    }
  }
  return {
    topic: GRANTS_TOPIC,
    hasForm: isAccessToken,
    list: async (db) => (await queries.listLiveTokens(db)).map(credentialOf),
    listOf: async (db, { ids, users }) => (await queries.listLiveTokensOf(db, ids, users)).map(credentialOf),
    find: async (db, hash) => {
      const token = await queries.findLiveToken(db, hash)
      return token && credentialOf(token)
    },
  }
}
