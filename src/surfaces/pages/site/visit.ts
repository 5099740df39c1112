// Redirects to the website of a tool and counts the click.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isbot } from 'isbot'
import { findListing } from '../../../features/catalog/reads.ts'
import { Failure } from '../../../kernel/errors.ts'
import { visitorAddress } from '../../http/callers.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { webAddress } from '../addresses.ts'

export const visit = (service: Service) => (request: FastifyRequest, reply: FastifyReply) => {
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

const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

/**
 * Whether a person clicked: not a browser that prefetches or shows a preview, not a page that uses the address as a picture, frame
 * or script, and not a program. Old browsers do not send sec-fetch-dest, so a missing one counts as a click.
 */
export function isPerson({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method === 'HEAD') return false
  if ((headers['sec-fetch-dest'] ?? 'document') !== 'document') return false
  if (PURPOSE_HEADERS.some((name) => /prefetch|preview/i.test(String(headers[name])))) return false
  const agent = headers['user-agent']
  return Boolean(agent?.trim()) && !isbot(agent)
}
