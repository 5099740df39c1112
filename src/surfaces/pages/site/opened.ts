// Notes what people do on the site: the tools that a search showed to them and that they viewed, for the owners of the tools, and the
// listings that they opened from the results of a question. The browser says where a visitor came from: it sends the whole address of our
// own pages, and other sites cannot make it send one.
import type { FastifyRequest } from 'fastify'
import { isFoundBy } from '../../../features/catalog/asked.ts'
import { type ListedKind, TOPIC } from '../../../features/catalog/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { isPerson } from './visit.ts'

type Visited = Pick<FastifyRequest, 'method' | 'headers'>

const LONGEST_ADDRESS = 4_000

/** `isOfResults`: whether the page with this path shows the results of a question. */
export function noteOpening(
  ctx: Context,
  { method, headers }: Visited,
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

export function noteView(ctx: Context, request: Visited, toolId: string | undefined): void {
  if (ctx.founders.mode !== 'off' && toolId !== undefined && isPerson(request))
    ctx.toolDays.note('views', [toolId], ctx.caller.id)
}

/** The script of the site fetches results while a visitor types, so a fetch counts too. */
export function noteAppearances(ctx: Context, { method, headers }: Visited, toolIds: readonly string[]): void {
  const isFetch = headers['sec-fetch-dest'] === 'empty' && headers['sec-fetch-site'] === 'same-origin'
  const request = isFetch ? { method, headers: { ...headers, 'sec-fetch-dest': 'document' } } : { method, headers }
  if (ctx.founders.mode !== 'off' && toolIds.length > 0 && isPerson(request))
    ctx.toolDays.note('appearances', toolIds, ctx.caller.id)
}
