// Looks for the token of a claim: in DNS, in a file of the site, and on its page. Redirects are followed here and one at a time, because
// each of them must stay with the owner of the listing.
import type { Context } from '../../../kernel/context.ts'
import type { OutboundResponse } from '../../../kernel/outbound.ts'
import {
  dnsNames,
  hasEntry,
  hasLine,
  isSameOwner,
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
}

export async function findProof(ctx: Context, website: string, token: string): Promise<ProofResult> {
  const scope = proofScope(website)
  if (!scope) return { method: null, notes: { dns: NO_HOST, file: NO_HOST, meta: NO_HOST } }
  const [dns, file, meta] = await Promise.all([
    findEntry(ctx, scope, token),
    findOnPage(ctx, scope, new URL(PROOF_PATH, website).href, FILE, ({ body }) =>
      hasLine(body.toString('utf8'), token),
    ),
    findOnPage(ctx, scope, website, PAGE, (response) => hasTag(ctx, response, token)),
  ])
  const notes = { dns, file, meta }
  const found = PROOF_METHODS.find((method) => notes[method] === FOUND)
  return { method: found ?? null, notes }
}

const FOUND = 'Found.'
const NO_HOST = 'The listing has no website.'

async function findEntry(ctx: Context, scope: ProofScope, token: string): Promise<string> {
  const names = dnsNames(scope)
  let note = names.length === 0 ? 'A numeric address has no DNS entries.' : 'The DNS entry was not found.'
  for (const name of names)
    try {
      // An alias has no entries of its own: the answer would be that of another host, which may belong to another person.
      if ((await ctx.hostNames.aliasesOf(name)).length > 0) continue
      if (hasEntry(await ctx.hostNames.textsOf(name), token)) return FOUND
    } catch (error) {
      ctx.log.warn({ err: error, name }, 'a DNS entry could not be looked up')
      note = 'DNS could not be asked. Try again in a minute.'
    }
  return note
}

async function findOnPage(
  ctx: Context,
  scope: ProofScope,
  address: string,
  limits: typeof FILE,
  isProof: (response: OutboundResponse) => boolean | Promise<boolean>,
): Promise<string> {
  try {
    const response = await fetchWithin(ctx, scope, address, limits)
    if (typeof response === 'string') return response
    if (response.status !== 200) return `The site answered ${response.status}.`
    if (response.truncated) return `The answer is larger than ${limits.maxBytes / KIB} KiB.`
    return (await isProof(response)) ? FOUND : 'The site answers, but the token was not found.'
  } catch (error) {
    // The messages of outbound requests are sentences that may be shown.
    return `The site could not be fetched. ${(error as Error).message}`
  }
}

/** The page is read in a thread and within a time limit, because it may be written to take long. */
async function hasTag(ctx: Context, { body, url, headers }: OutboundResponse, token: string): Promise<boolean> {
  // As browsers would: a tag in another kind of answer is text that anyone may have written.
  if (!/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '')) return false
  try {
    const { ownerTokens } = await ctx.readPage({ bytes: body, url, contentType: headers['content-type'] ?? '' })
    return ownerTokens.includes(token)
  } catch (error) {
    ctx.log.warn({ err: error, url }, 'the page of a claim could not be read')
    return false
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
    const next = URL.parse(location, target.href)
    if (!next || !isSameOwner(scope, target, next)) return 'The site redirects to another site, which does not count.'
    target = next
  }
  return 'The site redirects too often.'
}
