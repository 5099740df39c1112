// The list of submitted tools whose websites were read for missing texts and pictures: what came of each, and a button that reads it again.

import type { Static } from 'typebox'
import { listEnrichmentRows, retryEnrichment } from '../../../../features/enrichment/operations.ts'
import type { ENRICHMENT_STATES } from '../../../../features/enrichment/rules.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { actionForm } from '../../kit/button.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import { ago } from '../../kit/values.ts'
import { action } from '../kit/actions.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList, externalLink } from '../kit/list-pages.ts'
import { outcomeList } from '../kit/outcomes.ts'
import { stateBadge } from '../kit/states.ts'
import type { ConsolePages } from '../kit/visit.ts'

export type Enrichment = Static<typeof listEnrichmentRows.data>[number]

const PATH = `${ADMIN}/enrichments`
const WORDS: Record<(typeof ENRICHMENT_STATES)[number], string> = { failed: 'Failed', pending: 'Waiting', done: 'Done' }

export const enrichmentPages: ConsolePages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listEnrichmentRows,
      title: 'Enrichments',
      lead: 'Pictures, features and questions that a submission lacked and that were looked for on its site.',
      filters: { state: { tabs: 'Enrichments by state', words: WORDS } },
      columns: ({ visit, filters: { state }, page }) => [
        {
          label: 'Tool',
          rowHeader: true,
          cell: ({ tool }) =>
            html`${namedListing(visit, 'tools', tool)} <span class="note" id="tool-${tool.slug}">${externalLink(tool.website, parseUrl(tool.website)?.host ?? 'Site')}</span>`,
        },
        { label: 'State', onPhones: 'unlabelled', cell: (row) => stateBadge(row.state, WORDS[row.state]) },
        {
          label: 'What came of it',
          className: 'broad most',
          onPhones: 'unlabelled',
          cell: ({ parts }) => outcomeList(parts),
        },
        {
          label: 'Last',
          onPhones: 'unlabelled',
          cell: ({ updatedAt, attempts }) =>
            html`${ago(updatedAt)}${attempts > 1 && html` <span class="note">${attempts} tries</span>`}`,
        },
        {
          label: 'Actions',
          kind: 'actions',
          // A pending enrichment cannot be requested again.
          cell: (row) =>
            row.state === 'pending'
              ? null
              : actionForm({
                  action: addressWith(`${PATH}/${row.toolId}/retry`, { state, page: page > 1 ? String(page) : '' }),
                  label: html`Run again<span class="visually-hidden">: ${row.tool.name}</span>`,
                  kind: 'plain',
                  slim: true,
                  values: visit.values,
                }),
        },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None in this state' }
          : { title: 'Nothing was enriched yet', text: 'It happens by itself after a partner has submitted a tool.' },
    }),
  },
  [`${PATH}/:toolId/retry`]: {
    POST: action({
      operation: retryEnrichment,
      back: ({ query }) => addressWith(PATH, query(['state', 'page'])),
      text: 'The site will be looked at again.',
    }),
  },
}
