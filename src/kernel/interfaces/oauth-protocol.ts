// The interface to the library that knows the rules of OAuth 2.1 for codes and tokens. It stores nothing: it calls the given functions.

/** A request that the protocol refuses. The message is safe to show. */
export class OAuthRefusal extends Error {
  /** The code of the RFC, such as `invalid_grant`. */
  readonly code: string
  readonly status: number
  constructor(code: string, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

interface ProtocolClient {
  id: string
  redirectUris: string[]
}

/** A permission that a code or token belongs to. */
interface ProtocolGrant {
  grantId: string
  clientId: string
}

export interface NewCode {
  code: string
  expiresAt: Date
  redirectUri: string
  challenge: string
}

interface NewTokens {
  accessToken: string
  accessExpiresAt: Date
  refreshToken: string
  refreshExpiresAt: Date
}

/** Stored codes and tokens. `use` marks one as used, and returns false when it was used before. */
interface CodeStore {
  find(code: string): Promise<(ProtocolGrant & Omit<NewCode, 'code'>) | null>
  use(code: string): Promise<boolean>
}
interface RefreshTokenStore {
  find(token: string): Promise<(ProtocolGrant & { expiresAt: Date }) | null>
  use(token: string): Promise<boolean>
}

export interface TokenStore {
  findClient(id: string): Promise<ProtocolClient | null>
  codes: CodeStore
  refreshTokens: RefreshTokenStore
  save(tokens: NewTokens, grantId: string): Promise<void>
}

/** The values of a query or a form; each name occurs once. */
export type Parameters = Readonly<Record<string, string>>

export interface OAuthProtocol {
  /** Checks an authorization request of a client to one of its addresses, and makes a code for it. Throws OAuthRefusal. */
  authorize(parameters: Parameters, client: ProtocolClient): Promise<NewCode>
  /** The body of the answer to a token request. Throws OAuthRefusal. */
  token(form: Parameters, authorization: string | undefined, store: TokenStore): Promise<Record<string, unknown>>
}
