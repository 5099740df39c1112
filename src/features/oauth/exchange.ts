// The token endpoint, which exchanges a code or a refresh token, once, for new tokens, and the revocation endpoint, which ends tokens.
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { OAuthRefusal, type Parameters, type TokenStore } from '../../kernel/interfaces/oauth-protocol.ts'
import { checkResource } from './authorize.ts'
import { endGrant, GRANTS_TOPIC } from './grants.ts'
import * as queries from './queries.ts'
import { MAX_REFRESHED, MAX_SIGN_INS, OVERLAP_SECONDS, scopesOf } from './rules.ts'

/** The body of the response to a token request. Throws OAuthRefusal. */
export async function exchange(
  ctx: Context,
  form: Parameters,
  authorization: string | undefined,
): Promise<Record<string, unknown>> {
  checkResource(ctx, form)
  // The requested scope is ignored, because every token of a grant has the same ones.
  const { scope: _scope, ...request } = form
  // A refusal must not undo the transaction: a code that was tried stays used, and a stolen token ends its grant.
  const outcome = await ctx.transaction(async (ctx) => {
    try {
      const grants: queries.GrantRow[] = []
      const store = tokenStore(ctx, (grant) => void grants.push(grant))
      const body = await ctx.oauthProtocol.token(request, authorization, store)
      return { body: { ...body, scope: scopesOf({ operator: grants.some(({ operator }) => operator) }) } }
    } catch (error) {
      if (error instanceof OAuthRefusal) return { refusal: error }
      throw error
    }
  })
  if (outcome.refusal) throw outcome.refusal
  return outcome.body
}

/** Lets the OAuth library read and write codes and tokens, in the transaction of one request. `onGrant` gets the grant of it. */
function tokenStore(ctx: TransactionContext, onGrant: (grant: queries.GrantRow) => void): TokenStore {
  const endAfterReuse = async (grantId: string) => {
    await endGrant(ctx, grantId, 'reuse')
    ctx.log.warn({ grant: grantId }, 'a code or refresh token was used twice; its grant has ended')
    return null
  }
  return {
    async findClient(id) {
      return (await queries.findStoredClient(ctx.db, id)) ?? null
    },
    codes: {
      async find(text) {
        const found = await queries.findCodeForUpdate(ctx.db, ctx.keys.hash(text))
        if (!found) return null
        const { code, grant } = found
        if (code.usedAt) return endAfterReuse(grant.id)
        onGrant(grant)
        const { redirectUri, challenge, expiresAt } = code
        return { grantId: grant.id, clientId: grant.clientId, redirectUri, challenge, expiresAt }
      },
      async use(text) {
        await queries.updateCodeUsed(ctx.db, ctx.keys.hash(text), ctx.now())
        return true
      },
    },
    refreshTokens: {
      async find(text) {
        const found = await queries.findRefreshTokenForUpdate(ctx.db, ctx.keys.hash(text))
        if (!found) return null
        const { token, grant } = found
        if (token.refreshedAt) return endAfterReuse(grant.id)
        onGrant(grant)
        return { grantId: grant.id, clientId: grant.clientId, expiresAt: token.refreshExpiresAt }
      },
      async use(text) {
        const until = new Date(ctx.now().getTime() + OVERLAP_SECONDS * 1000)
        await queries.updateTokenRefreshed(ctx.db, ctx.keys.hash(text), ctx.now(), until)
        return true
      },
    },
    async save({ accessToken, refreshToken, ...times }, grantId) {
      await queries.insertToken(ctx.db, {
        accessHash: ctx.keys.hash(accessToken),
        refreshHash: ctx.keys.hash(refreshToken),
        grantId,
        ...times,
        refreshedAt: null,
        createdAt: ctx.now(),
      })
      await queries.deleteOldSignIns(ctx.db, grantId, { signIns: MAX_SIGN_INS, refreshed: MAX_REFRESHED })
      await ctx.announce({ topic: GRANTS_TOPIC, ids: [grantId] })
    },
  }
}

/** Revocation (RFC 7009): ends the sign-in of an access or refresh token, and the grant with its last sign-in. Ignores unknown tokens. */
export async function revokeToken(ctx: Context, { token, client_id: clientId }: Parameters): Promise<void> {
  if (!token) throw new OAuthRefusal('invalid_request', 'Send the token that should end as `token`.')
  if (!clientId) throw new OAuthRefusal('invalid_request', 'Send the identifier of the program as `client_id`.')
  await ctx.transaction(async (ctx) => {
    const grantId = await queries.endSignIn(ctx.db, ctx.keys.hash(token), clientId, ctx.now())
    if (grantId === undefined) return
    if (await queries.hasSignIns(ctx.db, grantId)) await ctx.announce({ topic: GRANTS_TOPIC, ids: [grantId] })
    else await endGrant(ctx, grantId, 'program')
  })
}
