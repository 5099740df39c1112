// Adds access tokens to the key cache: they are checked without the database, and a ban, a new plan or a withdrawal applies at once.
import type { Credential, CredentialSource } from '../keys/key-cache.ts'
import { keyProblem } from '../keys/rules.ts'
import { findLiveToken, listLiveTokens, listLiveTokensOf } from './queries.ts'
import { grantCaller, isAccessToken, programName } from './rules.ts'

/** The topic of the change announcements about grants. */
export const GRANTS_TOPIC = 'grants'

type LiveToken = Awaited<ReturnType<typeof listLiveTokens>>[number]

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
    list: async (db) => (await listLiveTokens(db)).map(credentialOf),
    listOf: async (db, { ids, users }) => (await listLiveTokensOf(db, ids, users)).map(credentialOf),
    find: async (db, hash) => {
      const token = await findLiveToken(db, hash)
      return token && credentialOf(token)
    },
  }
}
