// The request of a program for access, which a signed-in user allows or denies.
import type { Context } from '../../kernel/context.ts'
import { type NewCode, OAuthRefusal, type Parameters } from '../../kernel/oauth-protocol.ts'
import { POLICY_VERSION } from '../keys/rules.ts'
import { findClient } from './clients.ts'
import { allowClient } from './grants.ts'
import * as queries from './queries.ts'
import { isRegisteredRedirect, withParameters } from './redirect.rules.ts'
import { RESOURCE_PATHS } from './rules.ts'

/** The parameters that have a meaning here; all others are ignored, as the RFC asks. */
export const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
] as const

/**
 * A refusal that the program may be told of, at `location`. `isTrusted`: the user has allowed this program before. Anyone may register a
 * program, so a browser is never sent to the address of another one without a page: the link could be anywhere and look like one of ours.
 */
export class RefusedToProgram extends OAuthRefusal {
  readonly location: string
  readonly isTrusted: boolean
  constructor({ code, message }: OAuthRefusal, location: string, isTrusted: boolean) {
    super(code, message)
    this.location = location
    this.isTrusted = isTrusted
  }
}

export interface AccessRequest {
  client: queries.ClientRow
  redirectUri: string
  parameters: Parameters
  /** Is valid only when the user allows access, and it is stored. */
  code: NewCode
}

/** Reads a query or a form. A value that is given twice is refused, because two readers could see two different requests. */
export function readAuthorization(given: Readonly<Record<string, unknown>>): Parameters {
  const known = PARAMETERS.flatMap((name): [string, string][] => {
    const value = given[name]
    if (value === undefined || value === '') return []
    if (typeof value !== 'string') throw new OAuthRefusal('invalid_request', `${name} must be given once.`)
    return [[name, value]]
  })
  return Object.fromEntries(known)
}

/**
 * Checks the whole request. Until program and redirect address are known to belong together, the browser must not be sent anywhere; every
 * later refusal can be told to the program.
 */
export async function readAccessRequest(ctx: Context, parameters: Parameters): Promise<AccessRequest> {
  const { client_id: clientId, redirect_uri: redirectUri } = parameters
  if (clientId === undefined) throw new OAuthRefusal('invalid_request', 'client_id is missing.')
  const client = await findClient(ctx, clientId)
  if (redirectUri === undefined) throw new OAuthRefusal('invalid_request', 'redirect_uri is missing.')
  if (!isRegisteredRedirect(client.redirectUris, redirectUri))
    throw new OAuthRefusal('invalid_request', 'redirect_uri is not one of the addresses that the program registered.')
  const request = { client, redirectUri, parameters }
  const code = await toProgram(ctx, request, async () => {
    const made = await ctx.oauthProtocol.authorize(parameters, client)
    checkProof(parameters)
    checkResource(ctx, parameters)
    return made
  })
  return { ...request, code }
}

/** PKCE is required, with S256; a missing method means plain (RFC 7636, 4.3). */
function checkProof({ code_challenge: challenge, code_challenge_method: method }: Parameters): void {
  if (challenge === undefined) throw new OAuthRefusal('invalid_request', 'code_challenge is missing: PKCE is required.')
  if (method !== 'S256') throw new OAuthRefusal('invalid_request', 'code_challenge_method must be S256.')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthRefusal('invalid_request', 'code_challenge must be a SHA-256 hash in base64url.')
}

export function checkResource({ publicUrl }: Pick<Context, 'publicUrl'>, { resource }: Parameters): void {
  const resources = RESOURCE_PATHS.map((path) => `${publicUrl}${path}`)
  if (resource !== undefined && !resources.includes(resource))
    throw new OAuthRefusal('invalid_target', `The resource must be ${resources.join(' or ')}.`)
}

type Asked = Omit<AccessRequest, 'code'>

async function toProgram<T>(ctx: Context, request: Asked, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    const location = answerTo(ctx, request, { error: error.code, error_description: error.message })
    throw new RefusedToProgram(error, location, await hasGrant(ctx, request.client.id))
  }
}

/** The address that the browser goes back to. `iss` lets the program notice an answer of another server (RFC 9207). */
const answerTo = (ctx: Context, { redirectUri, parameters }: Asked, answer: Record<string, string>): string =>
  withParameters(redirectUri, { ...answer, state: parameters.state, iss: ctx.publicUrl })

export const needsAgreement = async (ctx: Context): Promise<boolean> =>
  (await queries.findAgreement(ctx.db, ctx.caller.id, POLICY_VERSION)) === null

/** Whether the signed-in user has allowed the program already. */
export const hasGrant = async (ctx: Context, clientId: string): Promise<boolean> =>
  (await queries.findLiveGrant(ctx.db, ctx.caller.id, clientId)) !== undefined

/** Stores the permission and a code. Returns where the browser goes. */
export async function allowAccess(ctx: Context, request: AccessRequest, agrees: boolean): Promise<string> {
  const { code, ...values } = request.code
  await ctx.transaction(async (ctx) => {
    const grantId = await allowClient(ctx, request.client, agrees)
    await queries.insertCode(ctx.db, { hash: ctx.keys.hash(code), grantId, ...values, usedAt: null })
  })
  return answerTo(ctx, request, { code })
}

export const denyAccess = (ctx: Context, request: AccessRequest): string =>
  answerTo(ctx, request, { error: 'access_denied', error_description: 'The user denied access.' })
