// OAuth by @node-oauth/oauth2-server: authorization codes with PKCE, tokens and their rotation. It is loaded by the first request that
// needs it, and knows neither the database nor HTTP.
import type OAuth2Server from '@node-oauth/oauth2-server'
import { type OAuthProtocol, OAuthRefusal, type TokenStore } from '../kernel/interfaces/oauth-protocol.ts'

interface ProtocolSettings {
  scope: string
  codeSeconds: number
  accessSeconds: number
  refreshSeconds: number
  generateCode(): string
  generateAccessToken(): string
  generateRefreshToken(): string
}

const GRANT_TYPES = ['authorization_code', 'refresh_token']
const GRANTS_TAKEN = GRANT_TYPES.join(', ')

export function createOAuthProtocol(settings: ProtocolSettings): OAuthProtocol {
  let loaded: Promise<typeof OAuth2Server> | undefined
  const load = () => (loaded ??= import('@node-oauth/oauth2-server').then((module) => module.default))
  return {
    async authorize(parameters, client) {
      const Library = await load()
      const server = new Library({
        model: {
          ...uncalled,
          getClient: async () => ({ ...client, grants: GRANT_TYPES }),
          // The caller has checked the redirect URI.
          validateRedirectUri: async () => true,
          validateScope: async () => [settings.scope],
          generateAuthorizationCode: async () => settings.generateCode(),
          getAuthorizationCode: async () => null,
          revokeAuthorizationCode: async () => false,
          // Nothing is stored here: the library returns the code, and the caller stores it.
          saveAuthorizationCode: async (code, codeClient, user) => ({ ...code, client: codeClient, user }),
        },
        allowEmptyState: true,
        authorizationCodeLifetime: settings.codeSeconds,
        authenticateHandler: { handle: async () => ({}) },
      })
      const request = new Library.Request({ method: 'GET', headers: {}, query: { ...parameters }, body: {} })
      const made = await translatingRefusals(Library, () => server.authorize(request, new Library.Response()))
      const { authorizationCode: code, expiresAt, redirectUri, codeChallenge: challenge = '' } = made
      return { code, expiresAt, redirectUri, challenge }
    },

    async token(form, authorization, store) {
      // Checked here, because the library would ask for a client secret for every grant type that it does not know.
      if (!form.grant_type) throw new OAuthRefusal('invalid_request', `grant_type is missing: ${GRANTS_TAKEN}.`, 400)
      if (!GRANT_TYPES.includes(form.grant_type))
        throw new OAuthRefusal('unsupported_grant_type', `grant_type must be one of these: ${GRANTS_TAKEN}.`, 400)
      const Library = await load()
      const server = new Library({
        model: tokenModel(settings, store),
        accessTokenLifetime: settings.accessSeconds,
        refreshTokenLifetime: settings.refreshSeconds,
        // Every program is a public client; PKCE and the rotation of refresh tokens protect it instead of a secret.
        requireClientAuthentication: { authorization_code: false, refresh_token: false },
      })
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': '1',
        ...(authorization === undefined ? {} : { authorization }),
      }
      const request = new Library.Request({ method: 'POST', headers, query: {}, body: { ...form } })
      const response = new Library.Response()
      await translatingRefusals(Library, () => server.token(request, response))
      return response.body
    },
  }
}

/** The library demands these functions of every model, but does not call them here. */
const uncalled = { getAccessToken: async () => null, saveToken: async () => null }

function tokenModel(settings: ProtocolSettings, store: TokenStore) {
  const scope = [settings.scope]
  const clientOf = (id: string) => ({ id, grants: GRANT_TYPES })
  return {
    ...uncalled,
    getClient: async (id: string, secret: string | null | undefined) => {
      // A public client has no secret, so a request with one does not come from the registered client.
      const client = secret ? null : await store.findClient(id)
      return client && { ...client, grants: GRANT_TYPES }
    },
    validateScope: async () => scope,
    generateAccessToken: async () => settings.generateAccessToken(),
    generateRefreshToken: async () => settings.generateRefreshToken(),
    async getAuthorizationCode(authorizationCode: string) {
      const found = await store.codes.find(authorizationCode)
      if (!found) return null
      const { challenge, clientId, ...code } = found
      // The library hands `user` to saveToken as it is: here and below it is the stored row, with the grant of the new tokens.
      const proof = { codeChallenge: challenge, codeChallengeMethod: 'S256' }
      return { ...code, ...proof, authorizationCode, scope, client: clientOf(clientId), user: found }
    },
    revokeAuthorizationCode: async ({ authorizationCode }: OAuth2Server.AuthorizationCode) =>
      store.codes.use(authorizationCode),
    async getRefreshToken(refreshToken: string) {
      const found = await store.refreshTokens.find(refreshToken)
      if (!found) return null
      return {
        refreshToken,
        refreshTokenExpiresAt: found.expiresAt,
        scope,
        client: clientOf(found.clientId),
        user: found,
      }
    },
    revokeToken: async ({ refreshToken }: OAuth2Server.RefreshToken) => store.refreshTokens.use(refreshToken),
    async saveToken(token: OAuth2Server.Token, client: OAuth2Server.Client, user: OAuth2Server.User) {
      const { accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt } = token
      if (!accessTokenExpiresAt || !refreshToken || !refreshTokenExpiresAt)
        throw new Error('The OAuth library gave no refresh token or no times.')
      await store.save(
        { accessToken, accessExpiresAt: accessTokenExpiresAt, refreshToken, refreshExpiresAt: refreshTokenExpiresAt },
        user.grantId,
      )
      return { ...token, client, user }
    },
  }
}

/** Turns refusals of the library into OAuthRefusal. An error thrown by one of our model functions stays as it is. */
async function translatingRefusals<T>(Library: typeof OAuth2Server, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Library.OAuthError)) throw error
    const { code, name, message, inner } = error as typeof error & { inner?: unknown }
    if (code >= 500) throw inner instanceof Error ? inner : error
    throw new OAuthRefusal(name, message, code)
  }
}
