// What the lists of the console share: the filter by partner, and external links.
import type { FastifyRequest } from 'fastify'
import { listPartners } from '../../../features/partners/operations.ts'
import type { Service } from '../../http/service.ts'
import { webAddress } from '../addresses.ts'
import { type Option, select } from '../kit/field.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { performAs } from '../kit/private-pages.ts'

// The most that the operation returns; a select box could not show more anyway.
const MOST_PARTNERS = 1000

export const listAllPartners = (service: Service, request: FastifyRequest) =>
  performAs(service, request, listPartners, { limit: MOST_PARTNERS })

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

/** A link that opens in a new tab, so that the administrator keeps the position in the list. */
export const externalLink = (url: string | null | undefined, label: Markup | string): Markup | null => {
  const address = webAddress(url)
  return address ? html`<a href="${address}" target="_blank" rel="nofollow noopener noreferrer">${label}</a>` : null
}
