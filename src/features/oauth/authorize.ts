// The authorization request of a program (an OAuth client), which a signed-in user allows or denies.
import { mayUse } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { type NewCode, OAuthRefusal, type Parameters } from '../../kernel/interfaces/oauth-protocol.ts'
import { POLICY_VERSION } from '../keys/rules.ts'
import { findClient } from './clients.ts'
import { allowClient } from './grants.ts'
import * as queries from './queries.ts'
import { asksForOperator, isRegisteredRedirect, OPERATOR_SCOPE, RESOURCE_PATHS, withParameters } from './rules.ts'

/** The parameters that have a meaning here; all others are ignored, as the RFC asks. */
const PARAMETERS = [
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
 * A refusal that the program learns when the browser goes to `location`. `isTrusted`: the user has allowed this program before. For other
 * programs a page is shown first: anyone may register one, and a link to this service must not lead directly to any address.
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
  /** The code for the program. It is stored, and so becomes valid, only when the user allows access. */
  code: NewCode
}

/** Reads a query or a form. A parameter that is given twice is refused, because two programs could read different values. */
export function readAuthorization(given: Readonly<Record<string, unknown>>): Parameters {
  const parameters = PARAMETERS.flatMap((name): [string, string][] => {
    const value = given[name]
    if (value === undefined || value === '') return []
    if (typeof value !== 'string') throw new OAuthRefusal('invalid_request', `${name} must be given once.`)
    return [[name, value]]
  })
  return Object.fromEntries(parameters)
}

/**
 * Checks the whole request. Until the redirect address is known to belong to the program, the browser must not be sent there; later
 * refusals are reported to the program.
 */
export async function readAccessRequest(ctx: Context, parameters: Parameters): Promise<AccessRequest> {
  const { client_id: clientId, redirect_uri: redirectUri } = parameters
  if (clientId === undefined) throw new OAuthRefusal('invalid_request', 'client_id is missing.')
  const client = await findClient(ctx, clientId)
  if (redirectUri === undefined) throw new OAuthRefusal('invalid_request', 'redirect_uri is missing.')
  if (!isRegisteredRedirect(client.redirectUris, redirectUri))
    throw new OAuthRefusal('invalid_request', 'redirect_uri is not one of the addresses that the program registered.')
  const request = { client, redirectUri, parameters }
  const code = await withReport(ctx, request, async () => {
    const newCode = await ctx.oauthProtocol.authorize(parameters, client)
    checkPkce(parameters)
    checkResource(ctx, parameters)
    if (asksForOperator(parameters) && !mayUse(ctx.caller, 'operator'))
      throw new OAuthRefusal('invalid_scope', `Only administrators can allow the scope ${OPERATOR_SCOPE}.`)
    return newCode
  })
  return { ...request, code }
}

/** PKCE is required, with S256; a missing method means plain (RFC 7636, 4.3). */
function checkPkce({ code_challenge: challenge, code_challenge_method: method }: Parameters): void {
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

/** A request whose program and redirect address are checked. */
type Checked = Omit<AccessRequest, 'code'>

/** Runs `work`, and turns its refusal into one that is reported to the program. */
async function withReport<T>(ctx: Context, request: Checked, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    const location = returnAddress(ctx, request, { error: error.code, error_description: error.message })
    throw new RefusedToProgram(error, location, await hasGrant(ctx, request.client.id))
  }
}

/** The address to which the browser returns. `iss` lets the program detect a response of another server (RFC 9207). */
const returnAddress = (ctx: Context, { redirectUri, parameters }: Checked, answer: Record<string, string>): string =>
  withParameters(redirectUri, { ...answer, state: parameters.state, iss: ctx.publicUrl })

export const needsAgreement = async (ctx: Context): Promise<boolean> =>
  (await queries.findAgreement(ctx.db, ctx.caller.id, POLICY_VERSION)) === null

/** Whether the signed-in user has allowed the program already. */
export const hasGrant = async (ctx: Context, clientId: string): Promise<boolean> =>
  (await queries.findLiveGrant(ctx.db, ctx.caller.id, clientId)) !== undefined

/** What the user allows. `operator`: the program may also work as an operator; it counts only if the program asks for it. */
interface Allowed {
  agreesToPolicy: boolean
  operator: boolean
}

/** Stores the permission and a code. Returns where the browser goes. */
export async function allowAccess(ctx: Context, request: AccessRequest, allowed: Allowed): Promise<string> {
  const { code, ...values } = request.code
  await ctx.transaction(async (ctx) => {
    const operator = asksForOperator(request.parameters) ? allowed.operator : undefined
    const grantId = await allowClient(ctx, request.client, allowed.agreesToPolicy, operator)
    await queries.insertCode(ctx.db, { hash: ctx.keys.hash(code), grantId, ...values, usedAt: null })
  })
  return returnAddress(ctx, request, { code })
}

export const denyAccess = (ctx: Context, request: AccessRequest): string =>
  returnAddress(ctx, request, { error: 'access_denied', error_description: 'The user denied access.' })
