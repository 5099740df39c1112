// The page with the links of one submission: their states, earlier looks at the listings, a button that looks now, and the report for the
// customer.
import type { FastifyReply } from 'fastify'
import {
  checkListings,
  listLinkChecks,
  listListingLinks,
  replaceReport,
} from '../../../../features/proof/operations.ts'
import { getSubmission } from '../../../../features/submissions/read/read.operations.ts'
import { actionForm, confirmedAction } from '../../kit/button.ts'
import { breadcrumbs, emptyState, sectionHead } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { listPageLinks, readListPage } from '../../kit/lists/paged-lists.ts'
import { type TableColumn, table } from '../../kit/lists/table.ts'
import { html } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { linkState } from '../../states.ts'
import { areLinksChecked, CHECKS_OFF, outOfDate, shownLink } from '../catalog/links.ts'
import { externalLink } from '../kit/list-pages.ts'
import { SUBMISSIONS } from './list.ts'

const PATH = `${SUBMISSIONS}/:id`
export const checksPath = (id: string): string => `${SUBMISSIONS}/${encodeURIComponent(id)}/checks`

const back = ({ param }: Visit): string => checksPath(param('id'))

export const checkPages: VisitPages = {
  [`${PATH}/checks`]: {
    GET: (visit) => showChecks(visit),
    POST: action({
      operation: checkListings,
      back,
      text: (_, { length }) =>
        `${length} ${length === 1 ? 'listing was' : 'listings were'} looked at. Others are looked at in the background.`,
    }),
  },
  [`${PATH}/report`]: {
    POST: action({
      operation: replaceReport,
      back,
      text: 'The report has another address. The old one no longer works.',
    }),
  },
}

async function showChecks(visit: Visit): Promise<FastifyReply> {
  const work = await visit.perform(getSubmission, { id: visit.param('id') })
  const list = await readListPage(visit, listLinkChecks, { id: work.id })
  const values = visit.values
  const withListing = work.submissions.filter(({ listingUrl }) => listingUrl !== null)
  const drifted = await visit.perform(listListingLinks, { submission: work.id, drift: true, limit: 1000 })
  const nameOf = new Map(work.submissions.map(({ slug, name }) => [slug, name]))
  const isChecked = areLinksChecked(visit)
  // If links are not checked and never were, the columns and the history of checks are left out.
  const showsChecks = isChecked || list.rows.length > 0
  const driftOf = (slug: string) => drifted.find(({ directory }) => directory === slug)
  return visit.send({
    title: `Links: ${work.tool.name}`,
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Submissions', href: SUBMISSIONS }, { label: work.tool.name, href: `${SUBMISSIONS}/${work.id}` }, { label: 'Links' }])}
<h1>Links to <bdi>${work.tool.name}</bdi></h1>
<div class="row">${isChecked ? actionForm({ action: checksPath(work.id), label: 'Check now', slim: true, values }) : html`<p class="note">${CHECKS_OFF} (<code>LINK_CHECKS</code>).</p>`}${externalLink(work.reportUrl, 'Report for the customer ↗')}</div>
${table({
  caption: 'Listings',
  rows: withListing,
  columns: [
    { label: 'Directory', rowHeader: true, cell: (row) => namedListing(visit, 'directories', row) },
    ...(showsChecks
      ? ([
          { label: 'Link', onPhones: 'unlabelled', cell: ({ link }) => shownLink(link) },
          { label: 'Out of date', cell: ({ slug }) => outOfDate(driftOf(slug) ?? { drift: [], message: null }) },
          { label: 'First found', cell: ({ link }) => ago(link?.firstLiveAt ?? null) },
        ] satisfies TableColumn<(typeof withListing)[number]>[])
      : []),
    { label: 'Listing', onPhones: 'unlabelled', cell: ({ listingUrl }) => externalLink(listingUrl, 'Open ↗') },
  ],
  empty: emptyState({
    title: 'No listing on record yet',
    text: 'A listing is looked at when its address is recorded.',
  }),
})}
${
  showsChecks &&
  html`${sectionHead('Check history')}
${table({
  caption: 'Check history',
  rows: list.rows,
  columns: [
    {
      label: 'Directory',
      rowHeader: true,
      cell: ({ directory }) =>
        namedListing(visit, 'directories', { slug: directory, name: nameOf.get(directory) ?? directory }),
    },
    { label: 'Found', onPhones: 'unlabelled', cell: ({ state }) => linkState({ state, checkedAt: null }) },
    { label: 'When', onPhones: 'unlabelled', cell: ({ checkedAt }) => ago(checkedAt) },
    { label: 'Answer', kind: 'number', cell: ({ status }) => status },
    { label: 'Text of the link', cell: ({ anchorText }) => anchorText && html`<bdi>${anchorText}</bdi>` },
    { label: 'rel', cell: ({ rel }) => rel && html`<code>${rel}</code>` },
    { label: 'noindex', onPhones: 'hidden', cell: ({ noindex }) => (noindex === null ? null : noindex ? 'yes' : 'no') },
    { label: 'Page', onPhones: 'unlabelled', cell: ({ finalUrl }) => externalLink(finalUrl, 'Open ↗') },
  ],
  empty: emptyState({ title: 'Not looked at yet' }),
})}
${listPageLinks(list, checksPath(work.id))}`
}
${sectionHead('Address of the report')}
${confirmedAction({
  action: `${SUBMISSIONS}/${work.id}/report`,
  label: 'Replace it …',
  kind: 'plain',
  question: 'The address that the partner has given to its customer stops working.',
  confirmLabel: 'Replace it',
  slim: true,
  values,
})}
</div>`,
  })
}
