// The name of a listing in a list, with its logo.
import type { FastifyRequest } from 'fastify'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { tile } from './components.ts'
import { html, type Markup } from './markup.ts'

/** The request for a page, and the service that answers it. */
export interface ServedRequest {
  service: Service
  request: FastifyRequest
}

interface Named {
  slug: string
  name: string
  icon?: string | null
}

/** The logos that were read from the catalog, by the listing's object. A listing that changes becomes another object. */
const icons = new WeakMap<object, string | null>()

/** The logo of the row; if the row has no `icon`, that of the published listing; without any logo the first letter of the name. */
export function listingTile(
  { service, request }: ServedRequest,
  topic: 'tools' | 'directories',
  { slug, name, icon }: Named,
): Markup {
  if (icon !== undefined) return tile(name, icon)
  const { index, idOf } = service.context(identifiedCaller(request)).catalog.snapshot()[topic]
  const listing = index.get(idOf.get(slug) ?? '')
  if (!listing) return tile(name, null)
  if (!icons.has(listing)) icons.set(listing, JSON.parse(listing.json.toString()).icon)
  return tile(name, icons.get(listing) ?? null)
}

/** The logo and the name. The name is a link to `href`, by default to the listing's form in the console; `below` stands under the name. */
export const namedListing = (
  served: ServedRequest,
  topic: 'tools' | 'directories',
  listing: Named,
  href = `/admin/${topic}/${encodeURIComponent(listing.slug)}`,
  below = '',
): Markup =>
  html`<span class="named">${listingTile(served, topic, listing)}<a href="${href}"><bdi>${listing.name}</bdi></a>${below && html`<bdi class="below">${below}</bdi>`}</span>`
