// Names in lists, each with a small picture: listings with their logo, and administrators with the first letter of their address.
import { identifiedCaller } from '../../http/gate.ts'
import { tile } from '../kit/components.ts'
import { html, type Markup } from '../kit/markup.ts'
import type { Visit } from './visit.ts'

interface Named {
  slug: string
  name: string
  icon?: string | null
}

/** The logos that were read from the catalog, by the listing's object. A listing that changes becomes another object. */
const icons = new WeakMap<object, string | null>()

/** The logo of the row; if the row has no `icon`, that of the published listing; without any logo the first letter of the name. */
export function listingTile(
  { service, request }: Pick<Visit, 'service' | 'request'>,
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
  visit: Pick<Visit, 'service' | 'request'>,
  topic: 'tools' | 'directories',
  listing: Named,
  href = `/admin/${topic}/${encodeURIComponent(listing.slug)}`,
  below = '',
): Markup =>
  html`<span class="named">${listingTile(visit, topic, listing)}<a href="${href}"><bdi>${listing.name}</bdi></a>${below && html`<bdi class="below">${below}</bdi>`}</span>`

export const isMe = (email: string | null, visit: Visit): boolean =>
  email?.toLowerCase() === visit.user.email.toLowerCase()

/** An administrator, by default as the part of the address before the @, because columns are narrow. `email` null: not assigned. */
export function person(email: string | null, visit: Visit, shown = email?.replace(/@.*/s, '') ?? 'Nobody'): Markup {
  const name = isMe(email, visit) ? 'You' : shown
  return html`<span class="${email === null ? 'person none' : 'person'}"${email && html` title="${email}"`}><span aria-hidden="true">${email && name.charAt(0).toUpperCase()}</span><bdi>${name}</bdi></span>`
}
