// The revocation endpoint (RFC 7009): a program that its user signs out of ends its tokens.
import type { Context } from '../../kernel/context.ts'
import { OAuthRefusal, type Parameters } from '../../kernel/oauth-protocol.ts'
import { endGrant } from './grants.ts'
import * as queries from './queries.ts'
import { GRANTS } from './token-source.ts'

/** Ends the sign-in of an access or refresh token, and the grant with its last sign-in. An unknown token is as good as ended. */
export async function revokeToken(ctx: Context, { token, client_id: clientId }: Parameters): Promise<void> {
  if (!token) throw new OAuthRefusal('invalid_request', 'Send the token that should end as `token`.')
  if (!clientId) throw new OAuthRefusal('invalid_request', 'Send the identifier of the program as `client_id`.')
  await ctx.transaction(async (ctx) => {
    const grantId = await queries.endSignIn(ctx.db, ctx.keys.hash(token), clientId, ctx.now())
    if (grantId === undefined) return
    if (await queries.hasSignIns(ctx.db, grantId)) await ctx.announce({ topic: GRANTS, ids: [grantId] })
    else await endGrant(ctx, grantId, 'program')
  })
}
