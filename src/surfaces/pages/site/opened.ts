// Notes that a visitor opened a listing from the results of a question. The browser says where the visitor came from: it sends the whole
// address of our own pages, and other sites cannot make it send one.
import type { FastifyRequest } from 'fastify'
import { isFoundBy } from '../../../features/catalog/asked.ts'
import { type ListedKind, TOPIC } from '../../../features/catalog/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { isPerson } from './visit.ts'

const LONGEST_ADDRESS = 4_000

/** `isOfResults`: whether the page with this path shows the results of a question. */
export function noteOpening(
  ctx: Context,
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  { kind, slug }: { kind: ListedKind; slug: string },
  isOfResults: (path: string) => boolean,
): void {
  const { referer = '' } = headers
  const from = referer.length > LONGEST_ADDRESS ? null : URL.parse(referer)
  if (!from || from.origin !== URL.parse(ctx.publicUrl)?.origin || !isOfResults(from.pathname)) return
  const q = from.searchParams.get('q')
  const snapshot = ctx.catalog.snapshot()
  const listingId = snapshot[TOPIC[kind]].idOf.get(slug)
  if (q && listingId !== undefined && isPerson({ method, headers }))
    ctx.openings.note(q, listingId, ctx.caller, () => isFoundBy(snapshot, kind, q, slug))
}
