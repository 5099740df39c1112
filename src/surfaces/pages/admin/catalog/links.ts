// The list of links on recorded listings. At first it shows those that an administrator should follow up: links that were lost, that were
// never found, or that the directory does not let us check.
import type { Static } from 'typebox'
import { listListingLinks } from '../../../../features/proof/operations.ts'
import type { listingLinkSchema } from '../../../../features/proof/schema.ts'
import { type DriftField, LINK_STATES, NOT_FOUND } from '../../../../features/submissions/bench/link.rules.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, codeBlock } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago, difference } from '../../kit/values.ts'
import { LINK_WORDS, linkState, type ShownLink } from '../../states.ts'
import { ADMIN } from '../kit/frame.ts'
import { allPartners, declareList, externalLink, PARTNER_FILTER } from '../kit/list-pages.ts'

const PATH = `${ADMIN}/links`

type LinkRow = Static<typeof listingLinkSchema>

export const linkPages: VisitPages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listListingLinks,
      title: 'Links',
      heading: 'Links on listings',
      lead: ({ visit }) =>
        areLinksChecked(visit) &&
        'Every recorded listing is looked at. A link is lost when two looks, a day apart, no longer find it. A listing is out of date when its name, tagline, price or address is no longer the tool’s.',
      isOff: ({ visit }) => !areLinksChecked(visit),
      load: async (visit) => ({ partners: await allPartners(visit) }),
      filters: {
        show: {
          none: 'To follow up',
          noneParameters: { followUp: 'true' },
          options: [
            { value: 'lost', label: 'Lost', parameters: { lost: 'true' } },
            { value: 'drift', label: 'Out of date', parameters: { drift: 'true' } },
            ...LINK_STATES.map((state) => ({ value: state, label: LINK_WORDS[state][0], parameters: { state } })),
            { value: 'all', label: 'All', parameters: {} },
          ],
        },
        client: PARTNER_FILTER,
      },
      group: ({ visit }) => ({ key: ({ submissionId }) => submissionId, heading: (row) => toolLink(visit, row) }),
      columns: ({ visit }) => [
        { label: 'Directory', rowHeader: true, cell: ({ directoryName }) => html`<bdi>${directoryName}</bdi>` },
        {
          label: 'Link',
          onPhones: 'unlabelled',
          cell: ({ link, lostAt }) =>
            html`${lostAt && html`${badge('Lost', 'danger')} <span class="note">${ago(lostAt)}</span>`} ${isNeverFound(link) && badge('Never found', 'notice')} ${shownLink(link, lostAt ? 'looked at ' : '')}`,
        },
        { label: 'Out of date', cell: (row) => outOfDate(row) },
        { label: 'First found', onPhones: 'hidden', cell: ({ link }) => ago(link.firstLiveAt) },
        { label: 'Next look', onPhones: 'hidden', cell: ({ nextAt }) => (areLinksChecked(visit) ? ago(nextAt) : null) },
        { label: 'Listing', onPhones: 'unlabelled', cell: ({ listingUrl }) => externalLink(listingUrl, 'Open ↗') },
      ],
      empty: ({ visit }) =>
        areLinksChecked(visit)
          ? {
              title: 'Nothing to follow up',
              text: 'Every link that was looked at was found, none is lost, and no directory keeps us from looking.',
            }
          : {
              title: CHECKS_OFF,
              text: html`No listing is looked at. To switch them on, start the service without <code>LINK_CHECKS=off</code>.`,
              action: linkButton(`${PATH}?show=all`, 'All listings on record', { kind: 'plain' }),
            },
      noneFound: 'None of these',
    }),
  },
}

export const CHECKS_OFF = 'Link checks are switched off'

export const areLinksChecked = ({ service, request }: Pick<Visit, 'service' | 'request'>): boolean =>
  service.context(identifiedCaller(request)).links.isOn

/** The state of a link and when it was last looked at; null for a listing that was never looked at. */
export const shownLink = (link: ShownLink | null, before = ''): Markup | null =>
  link && html`${linkState({ ...link, checkedAt: null })} <span class="note">${before}${ago(link.checkedAt)}</span>`

const isNeverFound = ({ state, firstLiveAt }: LinkRow['link']): boolean =>
  firstLiveAt === null && NOT_FOUND.includes(state)

const DRIFT_WORDS: Record<DriftField, string> = {
  name: 'Name',
  tagline: 'Tagline',
  pricing: 'Price',
  website: 'Address',
}

/** What the listing says differently from the tool, and the text that asks the directory to change it. */
export const outOfDate = ({ drift, message }: Pick<LinkRow, 'drift' | 'message'>): Markup | null =>
  message === null
    ? null
    : html`${drift.map(({ field, found, current }) => html`<p class="small">${DRIFT_WORDS[field]}: ${difference(found, current)}</p>`)}
<details><summary class="small">Text to send</summary>${codeBlock('Text to send', message)}</details>`

const toolLink = (visit: Visit, { submissionId, tool, client }: LinkRow): Markup =>
  html`${namedListing(visit, 'tools', tool, `${ADMIN}/submissions/${submissionId}/checks`)} <span class="note"><bdi>${client.name}</bdi></span>`
