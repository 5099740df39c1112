// What the lists of the console share: whose something is, days, and ways out.
import type { FastifyRequest } from 'fastify'
import { listPartners } from '../../../features/keys/partners.operations.ts'
import type { Service } from '../../http/service.ts'
import { webAddress } from '../addresses.ts'
import { type Option, select } from '../kit/field.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { performAs } from '../kit/private-pages.ts'

// More partners than a list to choose from can have.
const PARTNERS = 1000

export const partnersOf = (service: Service, request: FastifyRequest) =>
  performAs(service, request, listPartners, { limit: PARTNERS })

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
