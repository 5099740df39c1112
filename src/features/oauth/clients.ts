// Programs (OAuth clients) that may request access: they register, or their `client_id` is the address of a document that describes them.
import { randomUUID } from 'node:crypto'
import { addressProblem, parseWebAddress } from '../../kernel/addresses/web-address.ts'
import type { Context } from '../../kernel/context.ts'
import { OAuthRefusal } from '../../kernel/interfaces/oauth-protocol.ts'
import { OutboundRefused } from '../../kernel/interfaces/outbound.ts'
import { isObject } from '../../kernel/values/objects.ts'
import * as queries from './queries.ts'
import { programName, redirectProblem } from './rules.ts'

const MOST_REDIRECTS = 10
const MOST_ID_LENGTH = 500
const MOST_DOCUMENT_BYTES = 16 * 1024
const DOCUMENT_MS = 5_000
/** A document that was fetched more recently is not fetched again, so that the consent page and its form read it once. */
const DOCUMENT_FRESH_MS = 5 * 60_000

/** What a program states about itself, in a registration or in its document (RFC 7591, 2). */
type Metadata = Readonly<Record<string, unknown>>

/** The website of the program; null: it gives none, or one that cannot be linked to. */
const websiteOf = ({ client_uri: given }: Metadata): string | null =>
  typeof given === 'string' && given.length <= 500 ? (parseWebAddress(given)?.href ?? null) : null

function redirectsOf({ redirect_uris: given }: Metadata): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_REDIRECTS)
    throw new OAuthRefusal('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MOST_REDIRECTS} addresses.`)
  for (const [i, one] of given.entries()) {
    const problem = redirectProblem(one)
    if (problem) throw new OAuthRefusal('invalid_redirect_uri', `redirect_uris.${i} ${problem}.`)
  }
  return [...new Set(given as string[])]
}

/** The list must contain the only supported value, or be missing. */
function requireSupported(metadata: Metadata, name: string, value: string): void {
  const given = metadata[name]
  if (given !== undefined && !(Array.isArray(given) && given.includes(value)))
    throw new OAuthRefusal('invalid_client_metadata', `${name} must contain ${value}.`)
}

function valuesOf(metadata: Metadata) {
  requireSupported(metadata, 'grant_types', 'authorization_code')
  requireSupported(metadata, 'response_types', 'code')
  return { name: programName(metadata.client_name), website: websiteOf(metadata), redirectUris: redirectsOf(metadata) }
}

/** Dynamic registration (RFC 7591). The response says what was registered, which may be less than was requested. */
export async function registerClient(ctx: Context, body: unknown): Promise<Record<string, unknown>> {
  if (!isObject(body)) throw new OAuthRefusal('invalid_client_metadata', 'The body must be a JSON object.')
  const now = ctx.now()
  const client = { id: randomUUID(), kind: 'registered' as const, ...valuesOf(body), createdAt: now, updatedAt: now }
  await queries.insertClient(ctx.db, client)
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: client.name,
    ...(client.website === null ? {} : { client_uri: client.website }),
    redirect_uris: client.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** Whether this is the address of a metadata document and not the identifier of a registration. */
export const isDocumentAddress = (clientId: string): boolean => /^https?:/i.test(clientId)

/** The program that a user decides about. Its document is fetched unless that was done in the last minutes. */
export async function findClient(ctx: Context, clientId: string): Promise<queries.ClientRow> {
  const stored = clientId.length <= MOST_ID_LENGTH ? await queries.findStoredClient(ctx.db, clientId) : undefined
  if (!isDocumentAddress(clientId)) {
    if (!stored) throw new OAuthRefusal('invalid_client', UNKNOWN_PROGRAM)
    return stored
  }
  const isFresh = stored && ctx.now().getTime() - stored.updatedAt.getTime() < DOCUMENT_FRESH_MS
  return isFresh ? stored : fetchClient(ctx, clientId)
}

const UNKNOWN_PROGRAM =
  'This program is not registered here, or its registration was not used for a day. Add it again in the program.'

async function fetchClient(ctx: Context, clientId: string): Promise<queries.ClientRow> {
  checkDocumentAddress(ctx, clientId)
  const metadata = await fetchDocument(ctx, clientId)
  if (metadata.client_id !== clientId) throw unusable('its client_id is another address')
  if (metadata.client_secret !== undefined) throw unusable('it contains a secret')
  if ((metadata.token_endpoint_auth_method ?? 'none') !== 'none')
    throw unusable('it asks for a way to authenticate other than none')
  const now = ctx.now()
  const client = { id: clientId, kind: 'document' as const, ...valuesOf(metadata), createdAt: now, updatedAt: now }
  await queries.upsertClient(ctx.db, client)
  return client
}

const unusable = (why: string) =>
  new OAuthRefusal('invalid_client', `The document that describes the program cannot be used: ${why}.`)

/** Accepts one spelling of each address only, because the address identifies the program. */
function checkDocumentAddress(ctx: Context, clientId: string): void {
  if (clientId.length > MOST_ID_LENGTH) throw unusable('its address is too long')
  const problem = addressProblem(clientId, { allowed: ctx.outboundAllowed, httpsOnly: true })
  if (problem) throw unusable(`its address ${problem.replace(/\.$/, '')}`)
  const url = new URL(clientId)
  if (url.href !== clientId || clientId.includes('#') || url.search !== '' || url.pathname === '/')
    throw unusable('its address must have a path, no query and no fragment, and be written as browsers write it')
}

async function fetchDocument(ctx: Context, address: string): Promise<Metadata> {
  const response = await ctx.outbound
    .fetch(address, {
      headers: { accept: 'application/json' },
      maxBytes: MOST_DOCUMENT_BYTES,
      timeoutMs: DOCUMENT_MS,
      redirects: 0,
    })
    .catch((error: unknown) => {
      // The reason is not shown, because it would tell a stranger which addresses of the private network answer.
      throw unusable(error instanceof OutboundRefused ? 'its address is not public' : 'its address gives no answer')
    })
  if (response.status !== 200) throw unusable('its address does not answer with a document')
  if (response.truncated) throw unusable(`it has more than ${MOST_DOCUMENT_BYTES / 1024} KiB`)
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers['content-type'] ?? ''))
    throw unusable('it is not JSON')
  try {
    const document: unknown = JSON.parse(response.body.toString())
    if (isObject(document)) return document
  } catch {
    // Refused below.
  }
  throw unusable('it is not a JSON object')
}
