// What was taken from other sites: the list of submitted tools whose websites were read for missing texts and pictures, with what came of each
// and a button that reads it again, and the list of listings whose pictures are copied.
import type { Static } from 'typebox'
import { TOPIC } from '../../../../features/catalog/schema.ts'
import { listEnrichmentRows, retryEnrichment } from '../../../../features/enrichment/operations.ts'
import type { ENRICHMENT_STATES, PartOutcome } from '../../../../features/enrichment/rules.ts'
import { getPictureProgress, listPictures, retryPictures } from '../../../../features/pictures/operations.ts'
import type { PART_OUTCOMES } from '../../../../features/pictures/rules.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { rowAction } from '../../kit/button.ts'
import { badge, progress, type Tone } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago, fieldLabel } from '../../kit/values.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList, externalLink } from '../kit/list-pages.ts'
import { stateBadge } from '../kit/states.ts'

export type Enrichment = Static<typeof listEnrichmentRows.data>[number]

const ENRICHMENTS = `${ADMIN}/enrichments`
const STATE_WORDS: Record<(typeof ENRICHMENT_STATES)[number], string> = {
  failed: 'Failed',
  pending: 'Waiting',
  done: 'Done',
}

export const enrichmentPages: VisitPages = {
  [ENRICHMENTS]: {
    GET: declareList({
      path: ENRICHMENTS,
      operation: listEnrichmentRows,
      title: 'Enrichments',
      lead: 'Pictures, features and questions that a submission lacked and that were looked for on its site.',
      filters: { state: { tabs: 'Enrichments by state', words: STATE_WORDS } },
      columns: ({ visit, filters: { state }, page }) => [
        {
          label: 'Tool',
          rowHeader: true,
          cell: ({ tool }) =>
            html`${namedListing(visit, 'tools', tool)} <span class="note" id="tool-${tool.slug}">${externalLink(tool.website, parseUrl(tool.website)?.host ?? 'Site')}</span>`,
        },
        { label: 'State', onPhones: 'unlabelled', cell: (row) => stateBadge(row.state, STATE_WORDS[row.state]) },
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
              : rowAction(
                  addressWith(`${ENRICHMENTS}/${row.toolId}/retry`, { state, page: page > 1 ? String(page) : '' }),
                  html`Run again<span class="visually-hidden">: ${row.tool.name}</span>`,
                  visit.values,
                ),
        },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None in this state' }
          : { title: 'Nothing was enriched yet', text: 'It happens by itself after a partner has submitted a tool.' },
    }),
  },
  [`${ENRICHMENTS}/:toolId/retry`]: {
    POST: action({
      operation: retryEnrichment,
      back: ({ query }) => addressWith(ENRICHMENTS, query(['state', 'page'])),
      text: 'The site will be looked at again.',
    }),
  },
}

// Listings whose pictures are copied from other hosts: the progress, what came of each, and a button that tries again.
const PICTURES = `${ADMIN}/pictures`
const RETRY_PICTURES = `${PICTURES}/retry`

export const picturePages: VisitPages = {
  [PICTURES]: {
    GET: declareList({
      path: PICTURES,
      operation: listPictures,
      title: 'Pictures',
      lead: 'Logos and screenshots on other hosts are copied after an import. Until then, and where none can be had, pages show a letter.',
      load: (visit) => visit.perform(getPictureProgress, {}),
      filters: { state: { tabs: 'Listings by state' } },
      above: ({ visit, loaded }) => progressBox(visit, loaded),
      caption: 'Listings with pictures from other hosts',
      columns: ({ visit }) => [
        { label: 'Listing', rowHeader: true, cell: (row) => namedListing(visit, TOPIC[row.kind], row) },
        { label: 'State', onPhones: 'unlabelled', cell: ({ state }) => stateBadge(state) },
        {
          label: 'What came of it',
          className: 'broad',
          onPhones: 'unlabelled',
          cell: ({ parts }) => outcomeList(parts),
        },
        { label: 'Tries', onPhones: 'hidden', kind: 'number', cell: ({ attempts }) => attempts },
        { label: 'Last', onPhones: 'unlabelled', cell: ({ updatedAt }) => ago(updatedAt) },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None in this state' }
          : {
              title: 'No pictures on other hosts yet',
              text: 'They are found by themselves after an import or a change of a listing.',
            },
    }),
  },
  [RETRY_PICTURES]: {
    POST: action({ operation: retryPictures, back: PICTURES, text: 'The pictures that failed are tried again.' }),
  },
}

/** While listings wait, the script loads this box again every three seconds. */
function progressBox(visit: Visit, { isOn, waiting, done, failed }: Static<typeof getPictureProgress.data>): Markup {
  const all = waiting + done + failed
  const polling =
    isOn &&
    waiting > 0 &&
    html` data-hx-get="${PICTURES}" data-hx-trigger="every 3s" data-hx-select="#picture-progress" data-hx-swap="outerHTML"`
  return html`<section id="picture-progress" class="flow"${polling}>
${!isOn && html`<p class="flash notice" role="status">Copying is off: the setting MIRROR_PICTURES says so.</p>`}
${all > 0 && progress({ label: 'Listings with all their copies', value: done, max: all })}
${all > 0 && html`<p class="small quiet">${waiting} waiting, ${failed} failed.</p>`}
${failed > 0 && rowAction(RETRY_PICTURES, 'Try failed ones again', visit.values)}
</section>`
}

// What became of each part of a listing (logo, screenshots, questions …) when it was read from a website or copied: all successes in one line,
// and a line for each reason why another part did not succeed.
type Outcome = PartOutcome | (typeof PART_OUTCOMES)[number]

interface Part {
  part: string
  outcome: Outcome
  note: string
}

/** The word before the names of the parts, such as "Copied: logo, main picture". */
const OUTCOME_WORDS: Record<Outcome, [word: string, tone: Tone]> = {
  found: ['Found', 'good'],
  mirrored: ['Copied', 'good'],
  copied: ['Copied', 'good'],
  generated: ['Written by the model', 'good'],
  derived: ['Made from its texts', 'good'],
  missing: ['Not found', 'plain'],
  kept: ['Left as it was', 'notice'],
  replaced: ['Replaced', 'notice'],
  dropped: ['Left out', 'danger'],
  unreachable: ['Unreachable', 'danger'],
}

const PARTS: Record<string, string> = {
  page: 'website',
  site: 'website',
  icon: 'logo',
  frame: 'main picture',
  faqs: 'questions',
}

/** The name of a part: `frame` is the main picture, `screenshots.1` is screenshot 2. */
const nameOf = (part: string): string => {
  const [kind = '', place] = part.split('.')
  return place === undefined ? (PARTS[kind] ?? fieldLabel(kind).toLowerCase()) : `screenshot ${Number(place) + 1}`
}

function outcomeList(parts: readonly Part[]): Markup | null {
  if (parts.length === 0) return null
  const outcomes = [...Map.groupBy(parts, ({ outcome, note }) => `${outcome} ${note}`).values()].flatMap((some) =>
    some.slice(0, 1).map(({ outcome, note }) => {
      const [word, tone] = OUTCOME_WORDS[outcome]
      return { word, tone, note, names: some.map(({ part }) => nameOf(part)).join(', ') }
    }),
  )
  const good = outcomes.filter(({ tone }) => tone === 'good')
  const others = outcomes.filter(({ tone }) => tone !== 'good')
  return html`<ul class="outcomes in-row">${good.length > 0 && html`<li class="small">${good.map(({ word, names, note }, at) => html`${at > 0 && ' · '}${word}: ${names}${note && html` <bdi class="quiet">(${note.replace(/\.$/, '')})</bdi>`}`)}</li>\n`}${others.map(
    ({ word, tone, names, note }) =>
      html`<li class="small">${badge(word, tone)} ${names}${note && html`: <bdi class="quiet">${note}</bdi>`}</li>\n`,
  )}</ul>`
}
