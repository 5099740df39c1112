// Links on recorded listings that an administrator has to follow up: lost ones, and those that a directory does not let us look at.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { listListingLinks } from '../../../features/proof/operations.ts'
import type { followUpSchema } from '../../../features/proof/schema.ts'
import { LINK_STATES } from '../../../features/submissions/link.rules.ts'
import type { Service } from '../../http/service.ts'
import { badge } from '../kit/badge.ts'
import { emptyState } from '../kit/empty-state.ts'
import { select } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type ListPage, readListPage } from '../kit/paged-lists.ts'
import { addPrivatePages } from '../kit/private-pages.ts'
import { table } from '../kit/table.ts'
import { time } from '../kit/values.ts'
import { LINK_WORDS, linkState } from '../link-states.ts'
import { filteredResults, filterForm, filtersOf } from './filtered-lists.ts'
import { ADMIN, sendAdmin } from './frame.ts'
import { externalLink, listAllPartners, partnerField } from './lists.ts'

const PATH = `${ADMIN}/links`
/** Filters besides the states. */
const LOST = 'lost'
const ALL = 'all'

type LinkRow = Static<typeof followUpSchema>

export function addLinkPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: {
      GET: async (request, reply) => {
        const filters = filtersOf(request, ['show', 'client'])
        const list = await readListPage(service, request, listListingLinks, {
          client: filters.client,
          ...chosen(filters.show),
        })
        const partners = await listAllPartners(service, request)
        return sendAdmin(service, request, reply, linksPage(list, filters, partners))
      },
    },
  })
}

function chosen(show: string): { followUp?: string; lost?: string; state?: string } {
  if (show === '') return { followUp: 'true' }
  if (show === LOST) return { lost: 'true' }
  return show === ALL ? {} : { state: show }
}

const linksPage = (
  list: ListPage<LinkRow>,
  filters: Record<'show' | 'client', string>,
  partners: readonly { id: string; name: string }[],
) => ({
  title: 'Links',
  body: html`<div class="flow">
<h1>Links on listings</h1>
<p class="lead">Every recorded listing is looked at. A link is lost when two looks, at least a day apart, no longer find a link that was there.</p>
${filterForm(
  PATH,
  html`${select({
    name: 'show',
    label: 'Show',
    none: 'To follow up',
    value: filters.show,
    options: [
      { value: LOST, label: 'Lost' },
      ...LINK_STATES.map((state) => ({ value: state, label: LINK_WORDS[state][0] })),
      { value: ALL, label: 'All' },
    ],
  })}${partnerField(partners, filters.client)}`,
  filters.show !== '' || filters.client !== '',
)}
${filteredResults(
  list,
  PATH,
  filters,
  table({
    caption: 'Links',
    rows: list.rows,
    columns: [
      { label: 'Tool', rowHeader: true, cell: toolLink },
      { label: 'Directory', cell: ({ directoryName }) => html`<bdi>${directoryName}</bdi>` },
      { label: 'Link', cell: ({ link, lostAt }) => html`${lostAt && badge('Lost', 'danger')} ${linkState(link)}` },
      { label: 'First found', cell: ({ link }) => time(link.firstLiveAt) },
      { label: 'Lost on', cell: ({ lostAt }) => time(lostAt) },
      { label: 'Next look', cell: ({ nextAt }) => time(nextAt) },
      { label: 'Listing', cell: ({ listingUrl }) => externalLink(listingUrl, 'Open ↗') },
    ],
    empty: emptyState({
      title: filters.show === '' ? 'Nothing to follow up' : 'None of these',
      text: filters.show === '' ? 'No link is lost, and no directory keeps us from looking.' : undefined,
    }),
  }),
)}
</div>`,
})

const toolLink = ({ submissionId, tool, client }: LinkRow): Markup =>
  html`<a href="${ADMIN}/submissions/${submissionId}/checks"><bdi>${tool.name}</bdi></a> <span class="note"><bdi>${client.name}</bdi></span>`
