// What the lists of the console share: what was asked, whose it is, and the way to the next page.
import type { FastifyRequest } from 'fastify'
import { listPartners } from '../../../features/keys/partners.operations.ts'
import type { Service } from '../../http/service.ts'
import { webAddress } from '../addresses.ts'
import { type Option, select } from '../components/field.ts'
import { html, type Markup, oneLine } from '../markup.ts'
import { performAs } from '../private.ts'
import { type Query, textOf } from '../site/addresses.ts'

/** These parameters of the address, as text; what was not given is empty. */
export const asked = <const Name extends string>(request: FastifyRequest, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, textOf(request.query as Query, name)])) as Record<Name, string>

export const pageAsked = (request: FastifyRequest): number => {
  const page = Number(textOf(request.query as Query, 'page'))
  return Number.isInteger(page) && page > 0 ? page : 1
}

// More partners than a list to choose from can have.
const PARTNERS = 1000

export const partnersOf = (service: Service, request: FastifyRequest) =>
  performAs<{ id: string; name: string }[]>(service, request, listPartners, { limit: PARTNERS })

export const partnerField = (partners: readonly { id: string; name: string }[], value: string): Markup =>
  select({
    name: 'client',
    label: 'Partner',
    none: 'All',
    value,
    options: partners
      .map(({ id, name }): Option => ({ value: id, label: oneLine(name, 40) }))
      .sort((a, b) => a.label.localeCompare(b.label)),
  })

/** Lists of the operator API do not say how many there are: a full page may have another after it. */
export const steps = (page: number, isFull: boolean, href: (page: number) => string): Markup | null =>
  page === 1 && !isFull
    ? null
    : html`<nav class="pager" aria-label="Pages"><ul>
${page > 1 && html`<li><a href="${href(page - 1)}" rel="prev">← Previous</a></li>\n`}${isFull && html`<li><a href="${href(page + 1)}" rel="next">Next →</a></li>\n`}</ul><span class="quiet small">Page ${page}</span></nav>`

/** Where the minute does not matter. */
export function day(at: string | Date): Markup {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)}</time>`
}

/** Somewhere else, in a tab of its own: the place in the list stays. */
export const outside = (url: string | null | undefined, label: Markup | string): Markup | null => {
  const address = webAddress(url)
  return address ? html`<a href="${address}" target="_blank" rel="nofollow noopener noreferrer">${label}</a>` : null
}
