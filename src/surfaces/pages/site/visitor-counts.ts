// Counts what people do with listings: the tools that a search showed to them, that they viewed and whose websites they visited, for the
// owners of the tools; and the listings that they opened from the results of a question.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isbot } from 'isbot'
import { findListing } from '../../../features/catalog/reads.ts'
import { type ListedKind, TOPIC } from '../../../features/catalog/schema.ts'
import { isFoundBy } from '../../../features/catalog/site/search-both.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import { Failure } from '../../../kernel/errors.ts'
import { identifiedCaller } from '../../http/gate.ts'
import { visitorAddress } from '../../http/requests/callers.ts'
import type { Service } from '../../http/service.ts'
import { webAddress } from '../addresses.ts'

type CountedRequest = Pick<FastifyRequest, 'method' | 'headers'>

/** Leads to the website of a tool and counts the click of a person. */
export const redirectToWebsite = (service: Service) => (request: FastifyRequest, reply: FastifyReply) => {
  reply.header('x-robots-tag', 'noindex, nofollow')
  const { slug } = request.params as { slug: string }
  const ctx = service.context(identifiedCaller(request))
  const { tools } = ctx.catalog.snapshot()
  const website = webAddress(findListing(tools, slug, 'Tool').website)
  if (!website) throw new Failure(404, 'This tool has no website to visit.')
  const id = tools.idOf.get(slug)
  if (id !== undefined && isPerson(request)) service.visits.count(id, visitorAddress(request.ip))
  return reply.code(302).headers({ location: website, 'cache-control': 'no-store' }).send()
}

const LONGEST_ADDRESS = 4_000

/**
 * Notes that a person opened a listing from the results of a question. The browser says where a visitor came from: it sends the whole
 * address of our own pages, which other sites cannot make it send. `isOfResults`: whether the page with this path shows such results.
 */
export function noteOpening(
  ctx: Context,
  { method, headers }: CountedRequest,
  { kind, slug }: { kind: ListedKind; slug: string },
  isOfResults: (path: string) => boolean,
): void {
  const { referer = '' } = headers
  const from = referer.length > LONGEST_ADDRESS ? null : parseUrl(referer)
  if (!from || from.origin !== parseUrl(ctx.publicUrl)?.origin || !isOfResults(from.pathname)) return
  const q = from.searchParams.get('q')
  const snapshot = ctx.catalog.snapshot()
  const listingId = snapshot[TOPIC[kind]].idOf.get(slug)
  if (q && listingId !== undefined && isPerson({ method, headers }))
    ctx.openings.note(q, listingId, ctx.caller, () => isFoundBy(snapshot, kind, q, slug))
}

export function noteView(ctx: Context, request: CountedRequest, toolId: string | undefined): void {
  if (ctx.founders.mode !== 'off' && toolId !== undefined && isPerson(request))
    ctx.toolDays.note('views', [toolId], ctx.caller.id)
}

/** Notes the tools that a search showed. The script of the site fetches results while a visitor types, so a fetch counts too. */
export function noteAppearances(ctx: Context, { method, headers }: CountedRequest, toolIds: readonly string[]): void {
  const isFetch = headers['sec-fetch-dest'] === 'empty' && headers['sec-fetch-site'] === 'same-origin'
  const request = isFetch ? { method, headers: { ...headers, 'sec-fetch-dest': 'document' } } : { method, headers }
  if (ctx.founders.mode !== 'off' && toolIds.length > 0 && isPerson(request))
    ctx.toolDays.note('appearances', toolIds, ctx.caller.id)
}

const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

/**
 * Whether a person made the request: not a browser that prefetches or shows a preview, not a page that uses the address as a picture, frame
 * or script, and not a program. Old browsers do not send sec-fetch-dest, so a request without it counts.
 */
function isPerson({ method, headers }: CountedRequest): boolean {
  if (method === 'HEAD') return false
  if ((headers['sec-fetch-dest'] ?? 'document') !== 'document') return false
  if (PURPOSE_HEADERS.some((name) => /prefetch|preview/i.test(String(headers[name])))) return false
  const agent = headers['user-agent']
  return Boolean(agent?.trim()) && !isbot(agent)
}
