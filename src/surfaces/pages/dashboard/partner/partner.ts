// Pages for the users of a partner: submissions and their progress.
import type { Static } from 'typebox'
import type { UNUSED_OUTCOMES } from '../../../../features/enrichment/rules.ts'
import { getAccount } from '../../../../features/keys/account.operations.ts'
import type { LISTING_STATES, SubmissionState } from '../../../../features/submissions/rules.ts'
import type { statusSchema } from '../../../../features/submissions/schema.ts'
import { forbidden } from '../../../../kernel/errors.ts'
import { outsideLink, webAddress } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, breadcrumbs, emptyState, progress, sectionHead, type Tone } from '../../kit/components.ts'
import { type ListPage, listCount, listPageLinks } from '../../kit/lists/paged-lists.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { listingTile, namedListing, type ServedRequest } from '../../kit/named-listing.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { ago, date, number, time } from '../../kit/values.ts'
import { ownTasks } from '../../reports.ts'
import { linkState } from '../../states.ts'
import type { Account } from '../keys.ts'

export type OwnPartner = NonNullable<Account['partner']>
type SubmissionDetails = Static<typeof statusSchema> & {
  listing: ListingState
  pictures: readonly { picture: string; outcome: (typeof UNUSED_OUTCOMES)[number]; note: string }[]
}
type ListingState = (typeof LISTING_STATES)[number]
export interface OwnSubmission {
  id: string
  state: string | null
  listing: ListingState
  tool: { slug: string; name: string; website: string }
  paymentLabel: string
  submittedCount: number
  targetDirectoriesCount: number
  createdAt: string | Date
  updatedAt: string | Date
}

const STATE_BADGES: Record<string, [word: string, tone: Tone]> = {
  IN_QUEUE: ['In queue', 'plain'],
  ASSIGNED: ['Assigned', 'plain'],
  IN_PROGRESS: ['In progress', 'accent'],
  REVIEW: ['In review', 'notice'],
  DONE: ['Done', 'good'],
} satisfies Record<SubmissionState, [word: string, tone: Tone]>

export const partnerStateBadge = (state: string | null): Markup => {
  const [word, tone] = STATE_BADGES[state ?? ''] ?? ['No package', 'plain']
  return badge(word, tone)
}

const LISTING_BADGES: Record<Exclude<ListingState, 'public'>, [word: string, tone: Tone]> = {
  review: ['Awaiting review', 'notice'],
  hidden: ['Not public', 'danger'],
}

const listingBadge = (listing: ListingState): Markup | null =>
  listing === 'public' ? null : badge(...LISTING_BADGES[listing])

export const submissionsPage = (served: ServedRequest, partner: OwnPartner, list: ListPage<OwnSubmission>) => ({
  title: 'Submissions',
  body: html`<div class="flow">
<h1>Submissions${listCount(list)}</h1>
<p class="lead">What <bdi>${partner.name}</bdi> submitted, newest first.</p>
${table({
  caption: 'Submissions',
  rows: list.rows,
  columns: [
    {
      label: 'Tool',
      rowHeader: true,
      cell: ({ tool }) =>
        namedListing(served, 'tools', tool, `/dashboard/partner/submissions/${encodeURIComponent(tool.slug)}`),
    },
    {
      label: 'State',
      onPhones: 'unlabelled',
      cell: ({ state, listing }) =>
        html`<span class="row tight">${partnerStateBadge(state)}${listingBadge(listing)}</span>`,
    },
    { label: 'Package', onPhones: 'unlabelled', cell: ({ state, paymentLabel }) => state && packageName(paymentLabel) },
    {
      label: 'Directories',
      onPhones: 'unlabelled',
      cell: ({ submittedCount: done, targetDirectoriesCount: target }) =>
        target > 0
          ? html`<span class="progress entered"><span class="figure">${done} of ${target}</span><progress value="${Math.min(done, target)}" max="${target}" aria-label="Entered"></progress></span>`
          : done > 0
            ? number(done)
            : null,
    },
    { label: 'Submitted', onPhones: 'hidden', cell: ({ createdAt }) => date(createdAt) },
    { label: 'Changed', onPhones: 'unlabelled', className: 'beside-name', cell: ({ updatedAt }) => ago(updatedAt) },
  ],
  empty: emptyState({
    title: 'Nothing submitted yet',
    text: html`Tools are submitted from your server, with <code>POST /submit-ai-tool</code> and the partner key.`,
    action: linkButton('/docs', 'API reference', { kind: 'plain' }),
  }),
})}
${listPageLinks(list, '/dashboard/partner')}
</div>`,
})

/** The label of the package without its end, the number of directories, which the page shows beside it. */
const packageName = (label: string): string => label.replace(/ \(.*/s, '')

const pictureName = (picture: string): string => {
  const [, number] = /^screenshots\.(\d+)$/.exec(picture) ?? []
  if (number !== undefined) return `Screenshot ${Number(number) + 1}`
  return picture === 'icon' ? 'Icon' : 'Main screenshot'
}

export const submissionPage = (
  served: ServedRequest,
  { tool, listing, pictures, submissionState, summary, submissions, ...status }: SubmissionDetails,
) => ({
  title: tool.name,
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Submissions', href: '/dashboard/partner' }, { label: tool.name }])}
<div class="row">${listingTile(served, 'tools', tool)}<h1><bdi>${tool.name}</bdi></h1>${partnerStateBadge(submissionState)}</div>
${tool.targetDirectoriesCount > 0 && html`<section class="panel">${progress({ label: 'Directories entered', value: summary.submittedCount, max: tool.targetDirectoriesCount })}</section>`}
${ownTasks(submissions)}
<dl class="facts panel">
<div><dt>Package</dt><dd>${packageName(tool.paymentLabel)}</dd></div>
<div><dt>Submitted</dt><dd>${time(status.createdAt)}</dd></div>
<div><dt>Changed</dt><dd>${time(status.updatedAt)}</dd></div>
<div><dt>Listing</dt><dd>${listingBadge(listing) ?? html`<a href="/tools/${encodeURIComponent(tool.slug)}"><bdi>${tool.name}</bdi></a>`}</dd></div>
<div><dt>Report</dt><dd><a href="${status.reportUrl}">For your customer</a>; anyone with the address can read it.</dd></div>
</dl>
${summary.notes && html`${sectionHead('Notes')}<p class="text">${summary.notes}</p>`}
${
  pictures.length > 0 &&
  html`${sectionHead('Pictures that cannot be used')}<ul class="listed">${pictures.map(({ picture, outcome, note }) => html`<li>${pictureName(picture)}: ${note}${outcome === 'dropped' && ' It is not shown.'}</li>\n`)}</ul>`
}
${sectionHead('Directories')}
${recordedDirectories(served, submissions)}
</div>`,
})

/** The directories on record, each with its link. */
const recordedDirectories = (served: ServedRequest, rows: SubmissionDetails['submissions']): Markup =>
  table({
    caption: 'Directories',
    rows,
    columns: [
      {
        label: 'Directory',
        rowHeader: true,
        cell: ({ name, slug }) =>
          html`<span class="named">${listingTile(served, 'directories', { name, slug })}<bdi>${name}</bdi></span>`,
      },
      { label: 'Domain Rating', kind: 'number', cell: ({ domainRating }) => domainRating },
      { label: 'State', cell: ({ isSubmitted }) => (isSubmitted ? badge('Submitted', 'good') : badge('Planned')) },
      { label: 'When', cell: ({ submittedAt }) => submittedAt && date(submittedAt) },
      { label: 'Listing', cell: ({ listingUrl }) => outsideLink(listingUrl, 'Open') },
      { label: 'Link', cell: ({ link }) => linkState(link) },
      ...(rows.some(({ proofUrl }) => webAddress(proofUrl))
        ? [{ label: 'Proof', cell: ({ proofUrl }: (typeof rows)[number]) => outsideLink(proofUrl, 'Picture') }]
        : []),
    ],
    empty: emptyState({ title: 'No directory on record yet', text: 'They appear here as the work goes on.' }),
  })

/** The partner that the signed-in user works for. Throws a 403 for a user who works for none. */
export async function ownPartnerOf(visit: Visit): Promise<OwnPartner> {
  const { partner } = await visit.perform(getAccount, {})
  if (!partner) throw forbidden('This is for the people of a partner.')
  return partner
}
