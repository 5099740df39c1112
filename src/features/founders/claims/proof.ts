// Looks for the token of a claim: in DNS, in a file of the site, and on its page. Redirects are followed here and one at a time, because
// each of them must stay with the owner of the listing. Then stores that the proof was found, or ends the claim.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { OutboundRefused, type OutboundResponse } from '../../../kernel/interfaces/outbound.ts'
import { deleteWaitingProposals } from '../../proposals/queries.ts'
import * as queries from './queries.ts'
import {
  dnsNames,
  hasEntry,
  hasLine,
  isSameOwner,
  nextCheck,
  PROOF_METHODS,
  PROOF_PATH,
  type ProofMethod,
  type ProofScope,
  proofScope,
} from './rules.ts'

const KIB = 1024
const FILE = { maxBytes: 8 * KIB, timeoutMs: 8_000 }
const PAGE = { maxBytes: 512 * KIB, timeoutMs: 10_000 }
const MOST_REDIRECTS = 3

/** `method` is null when no token was found; the notes are sentences for the founder about each place. */
export interface ProofResult {
  method: ProofMethod | null
  notes: Record<ProofMethod, string>
  /** The places that could not be asked, so that it is not known whether they show the token. */
  unreachable: ProofMethod[]
}

/** What became of looking for a token in one place. `isReached`: the place answered, so the result is certain. */
interface Place {
  isFound: boolean
  isReached: boolean
  note: string
}

const FOUND: Place = { isFound: true, isReached: true, note: 'Found.' }
const missing = (note: string): Place => ({ isFound: false, isReached: true, note })
const unreachable = (note: string): Place => ({ isFound: false, isReached: false, note })

export async function findProof(ctx: Context, { website }: { website: string }, token: string): Promise<ProofResult> {
  const scope = proofScope(website)
  if (!scope) return { method: null, notes: { dns: NO_HOST, file: NO_HOST, meta: NO_HOST }, unreachable: [] }
  const [dns, file, meta] = await Promise.all([
    findEntry(ctx, scope, token),
    findOnPage(ctx, scope, new URL(PROOF_PATH, website).href, FILE, ({ body }) =>
      hasLine(body.toString('utf8'), token),
    ),
    findOnPage(ctx, scope, website, PAGE, async (response) => (await tokensOf(ctx, response)).includes(token)),
  ])
  const places: Record<ProofMethod, Place> = { dns, file, meta }
  return {
    method: PROOF_METHODS.find((method) => places[method].isFound) ?? null,
    notes: { dns: dns.note, file: file.note, meta: meta.note },
    unreachable: PROOF_METHODS.filter((method) => !places[method].isReached),
  }
}

const NO_HOST = 'The listing has no website.'

async function findEntry(ctx: Context, scope: ProofScope, token: string): Promise<Place> {
  const names = dnsNames(scope)
  let place = missing(names.length === 0 ? 'A numeric address has no DNS entries.' : 'The DNS entry was not found.')
  for (const name of names)
    try {
      // An alias has no entries of its own: the answer would be that of another host, which may belong to another person.
      if ((await ctx.hostNames.aliasesOf(name)).length > 0) continue
      if (hasEntry(await ctx.hostNames.textsOf(name), token)) return FOUND
    } catch (error) {
      ctx.log.warn({ err: error, name }, 'a DNS entry could not be looked up')
      place = unreachable('DNS could not be asked. Try again in a minute.')
    }
  return place
}

/** A server that fails or is too busy has said nothing about its page. */
const isFailing = (status: number): boolean => status >= 500 || status === 408 || status === 429

async function findOnPage(
  ctx: Context,
  scope: ProofScope,
  address: string,
  limits: typeof FILE,
  isProof: (response: OutboundResponse) => boolean | Promise<boolean>,
): Promise<Place> {
  try {
    const response = await fetchWithin(ctx, scope, address, limits)
    if (typeof response === 'string') return missing(response)
    const { status, truncated } = response
    if (status !== 200) return (isFailing(status) ? unreachable : missing)(`The site answered ${status}.`)
    if (truncated) return missing(`The answer is larger than ${limits.maxBytes / KIB} KiB.`)
    return (await isProof(response)) ? FOUND : missing('The site answers, but the token was not found.')
  } catch (error) {
    // The messages of outbound requests are sentences that may be shown.
    const note = `The site could not be fetched. ${(error as Error).message}`
    return error instanceof OutboundRefused || (await hasNoHost(ctx, scope)) ? missing(note) : unreachable(note)
  }
}

/** Whether DNS says that there is no such host; false if DNS cannot be asked. */
const hasNoHost = async ({ hostNames }: Context, scope: ProofScope): Promise<boolean> =>
  dnsNames(scope).length > 0 && (await hostNames.addressesOf(scope.host).catch(() => [scope.host])).length === 0

/** The tokens of a page, which is read in a thread and within a time limit, because it may be written to take long. */
async function tokensOf(ctx: Context, { body, url, headers }: OutboundResponse): Promise<readonly string[]> {
  const contentType = headers['content-type'] ?? ''
  // Only HTML, as in browsers. A tag in another kind of answer may be text that a visitor of the site has written.
  if (!/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return []
  try {
    return (await ctx.readPage({ bytes: body, url, contentType })).ownerTokens
  } catch (error) {
    ctx.log.warn({ err: error, url }, 'the page of a claim could not be read')
    return []
  }
}

/** The answer after redirects, or a sentence about a redirect that does not count. */
async function fetchWithin(
  ctx: Context,
  scope: ProofScope,
  address: string,
  limits: typeof FILE,
): Promise<OutboundResponse | string> {
  let target = new URL(address)
  for (let followed = 0; followed <= MOST_REDIRECTS; followed++) {
    const response = await ctx.outbound.fetch(target.href, { ...limits, redirects: 0 })
    const { location } = response.headers
    if (response.status < 300 || response.status >= 400 || location === undefined) return response
    const next = parseUrl(location, target.href)
    if (!next || !isSameOwner(scope, target, next)) return 'The site redirects to another site, which does not count.'
    target = next
  }
  return 'The site redirects too often.'
}

/** Announced when a claim was proven, so that its next check is known. */
export const CLAIMS_TOPIC = 'claims'

export interface ToolOfClaim {
  slug: string
  name: string
  website: string
}

/** The claim must be locked. */
export async function storeFoundProof(
  ctx: TransactionContext,
  claim: queries.ClaimRow,
  { website }: ToolOfClaim,
  method: ProofMethod,
): Promise<void> {
  const now = ctx.now()
  await queries.updateClaim(ctx.db, claim.id, {
    method,
    website,
    provenAt: claim.provenAt ?? now,
    checkedAt: now,
    failedAt: null,
    unaskedAt: null,
    nextAt: nextCheck(now, 'found'),
  })
}

/** Deletes the claim, so that its token proves nothing more, and the waiting changes that its user has proposed as an owner. */
export async function endClaim(
  ctx: TransactionContext,
  { id, userId, toolId }: Pick<queries.ClaimRow, 'id' | 'userId' | 'toolId'>,
): Promise<void> {
  await queries.deleteClaim(ctx.db, id)
  await deleteWaitingProposals(ctx.db, { toolId, authorKind: 'owner', authorId: userId })
}
