// The page that explains a search: each hit with the parts of its score, and why a certain listing is or is not found. Also the list of
// what visitors open after a question.
import type { Static } from 'typebox'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../../../features/catalog/schema.ts'
import { getSearchLearning } from '../../../features/catalog/site/site.operations.ts'
import { forgetSearchOpening, listSearchOpenings } from '../../../features/learning/operations.ts'
import { explainSearch } from '../../../features/listings/explain/explain-search.operations.ts'
import {
  placeText,
  pointsText,
  QUALITY_TEXTS,
  RANKED_WITHOUT_ENDPOINT,
  type ScoredListing,
  scoreParts,
  WORD_USE_TEXTS,
} from '../../../features/listings/explain/explain-search.rules.ts'
import { Failure } from '../../../kernel/errors.ts'
import { rowAction } from '../kit/button.ts'
import { badge, card, emptyState, flash } from '../kit/components.ts'
import { action } from '../kit/forms/actions.ts'
import { field, select } from '../kit/forms/field.ts'
import { addressWith } from '../kit/lists/address-query.ts'
import { pageNumberOf, pager } from '../kit/lists/paged-lists.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup } from '../kit/markup.ts'
import { namedListing } from '../kit/named-listing.ts'
import type { Visit, VisitPages } from '../kit/sending/private-pages.ts'
import { number, plainDay } from '../kit/values.ts'
import { ADMIN } from './kit/frame.ts'
import { declareList, filterForm } from './kit/list-pages.ts'
import { DIRECTORY_LISTINGS, TOOL_LISTINGS } from './listings/kinds.ts'
import { listingPath } from './listings/pages.ts'

// The pairs of a question and a listing opened after it that change the results. An administrator can delete each pair.
const OPENINGS_PATH = `${ADMIN}/search/openings`

export const openingPages: VisitPages = {
  [OPENINGS_PATH]: {
    GET: declareList({
      path: OPENINGS_PATH,
      operation: listSearchOpenings,
      title: 'What visitors open',
      heading: html`<h1>What visitors open after a question</h1>`,
      lead: 'A listing that visitors open after a question stands up to two places higher in the results of its question than others that are opened clearly less. It never passes a better kind of match. A pair appears when five different callers have opened the listing within one month, and counts half after 30 days. Nothing about the callers is stored.',
      caption: 'Questions and listings',
      columns: ({ visit, page }) => [
        {
          label: 'Words',
          rowHeader: true,
          cell: ({ words }) => html`<a href="${addressWith(`${ADMIN}/search`, { q: words })}"><bdi>${words}</bdi></a>`,
        },
        {
          label: 'Opened',
          cell: (row) =>
            row.page === null
              ? 'A listing that is not published'
              : html`<a href="${row.page}"><bdi>${row.page}</bdi></a>`,
        },
        { label: 'Callers', kind: 'number', cell: ({ callers }) => number(callers) },
        { label: 'Last opened', cell: ({ lastDay }) => plainDay(lastDay) },
        {
          label: 'Actions',
          kind: 'actions',
          cell: ({ id, words }) =>
            rowAction(
              addressWith(`${OPENINGS_PATH}/${id}/forget`, { page: page > 1 ? String(page) : '' }),
              html`Forget<span class="visually-hidden">: <bdi>${words}</bdi></span>`,
              visit.values,
            ),
        },
      ],
      empty: {
        title: 'Nothing yet',
        text: 'A pair appears here when five different callers have opened a listing after a question within one month, if SEARCH_LEARNING is on.',
      },
    }),
  },
  [`${OPENINGS_PATH}/:id/forget`]: {
    POST: action({
      operation: forgetSearchOpening,
      back: ({ query }) => addressWith(OPENINGS_PATH, query(['page'])),
      text: 'Forgotten. The results of that question are as before.',
    }),
  },
}

const PATH = `${ADMIN}/search`
const LIMIT = 20
const KINDS = { tool: TOOL_LISTINGS, directory: DIRECTORY_LISTINGS }

type Explained = Static<typeof explainSearch.data>
type Asked = Record<'q' | 'kind' | 'listing', string>

export const explainPath = (kind: ListedKind, q: string): string => addressWith(PATH, { q, kind })

export const searchPages: VisitPages = {
  [PATH]: {
    GET: async (visit) => {
      const asked = visit.query(['q', 'kind', 'listing'])
      const page = pageNumberOf(visit)
      const results = asked.q
        ? await explainedResults(visit, asked, page)
        : html`${emptyState({ title: 'Type a question', text: 'The page shows what it finds, and why.' })}
${learning(await visit.perform(getSearchLearning, {}))}`
      return visit.send(searchPage(asked, results))
    },
  },
}

async function explainedResults(visit: Visit, asked: Asked, page: number): Promise<Markup> {
  const { q, kind, listing } = asked
  const ask = (named: Partial<Pick<Asked, 'listing'>>) =>
    visit.perform(explainSearch, {
      q,
      kind: kind || undefined,
      explain: 'true',
      page: String(page),
      limit: String(LIMIT),
      ...named,
    })
  if (listing === '') return hitList(visit, await ask({}), asked, page)
  try {
    return hitList(visit, await ask({ listing }), asked, page)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 404) throw error
    const text = html`There is no ${kindOf(asked).kind} with the slug <bdi>${listing}</bdi>. The list of ${kindOf(asked).title.toLowerCase()} shows each slug below the name.`
    return html`${flash({ kind: 'danger', text, isPermanent: true })}${hitList(visit, await ask({}), asked, page)}`
  }
}

const kindOf = ({ kind }: Asked) => (kind === 'directory' ? KINDS.directory : KINDS.tool)

const searchPage = (asked: Asked, results: Markup) => ({
  title: 'Search',
  body: html`<div class="flow">
<h1>What a search finds, and why</h1>
<p class="lead">The same search as readers make, with the parts of each score.</p>
${filterForm(
  PATH,
  html`<div class="whole">${field({ name: 'q', label: 'Question', type: 'search', value: asked.q, maxLength: 500 })}</div>
<div class="whole">${field({ name: 'listing', label: 'Why is this listing not found?', value: asked.listing, spellcheck: false, hint: 'Its slug, of a draft too; empty shows only what is found.' })}</div>
${select({
  name: 'kind',
  label: 'Search',
  value: asked.kind || 'tool',
  options: LISTED_KINDS.map((value) => ({ value, label: KINDS[value].title })),
})}`,
  false,
)}
<div id="results" class="flow">${results}</div>
</div>`,
})

const LEARNING_TEXTS: Record<Learning['setting'], Markup | string> = {
  on: html`On: a listing that five or more callers open after a question stands up to two places higher in its results, before those that are opened clearly less. <a href="${OPENINGS_PATH}">What visitors open</a> lists every such question and listing; each pair can be forgotten there.`,
  unfound: 'Off for results: only questions that find nothing, or only partial matches, are counted.',
  off: 'Off: nothing is counted.',
}

type Learning = Static<typeof getSearchLearning.data>

/** Shown without a question: what is learned from searches, the setting for it, and what visitors ask for most. */
const learning = ({ setting, asked }: Learning): Markup =>
  html`<h2>Learning</h2>
<p>${LEARNING_TEXTS[setting]}</p>
<p class="note">Nothing about the callers is kept: counted callers are stored as hashes that change every month. The setting <code>SEARCH_LEARNING</code> is <code>${setting}</code>; <code>on</code>, <code>unfound</code> and <code>off</code> are possible, and a change takes effect after a restart.</p>
${
  setting === 'on' &&
  html`<h2>Asked for most</h2>
<p class="note">Questions after which visitors open the most, of those that find something. Visitors see them when their own question finds nothing.</p>
${table({
  caption: 'Asked for most',
  rows: asked,
  columns: [
    {
      label: 'Words',
      rowHeader: true,
      cell: ({ words }) => html`<a href="${explainPath('tool', words)}"><bdi>${words}</bdi></a>`,
    },
    { label: 'Openings', kind: 'number', cell: ({ opened }) => number(opened) },
    { label: 'Full matches', kind: 'number', cell: ({ full }) => number(full) },
  ],
  empty: emptyState({
    title: 'Nothing yet',
    text: 'A question appears here when five different callers have opened the same listing after it within one month.',
  }),
})}`
}`

function hitList(visit: Visit, found: Explained, asked: Asked, page: number): Markup {
  const { total, full, understood, ranking, hits, words = [], listing } = found
  const count = `${number(total)} found, ${number(full)} with every word`
  return html`${ranking === 'words' && flash({ kind: 'notice', text: RANKED_WITHOUT_ENDPOINT, isPermanent: true })}
${listing && placeCard(listing, asked)}
<h2 data-count="${count}">${count}</h2>
${understood && html`<p class="note">Understood: <bdi class="mono">${decodeURIComponent(understood)}</bdi></p>`}
${table({
  caption: 'Hits',
  rows: hits,
  columns: [
    { label: 'Place', kind: 'number', cell: ({ place }) => place },
    { label: 'Score', kind: 'number', cell: (hit) => (hit.score === undefined ? null : pointsText(hit, hit.score)) },
    {
      label: 'Listing',
      rowHeader: true,
      cell: (hit) =>
        html`<span class="row">${namedListing(visit, TOPIC[kindOf(asked).kind], hit)} ${matchBadge(hit)} <span class="note">${hit.slug}</span></span>${partList(hit)}`,
    },
  ],
  empty: emptyState({ title: page > 1 ? 'Nothing on this page' : 'Nothing found' }),
})}
${pager({
  page,
  pages: Math.ceil(total / LIMIT),
  href: (to) => addressWith(PATH, { ...asked, page: to > 1 ? String(to) : '' }),
})}
${words.length > 0 && questionWords(words)}
<p class="note">Points of full matches are whole numbers and those of partial matches are not; the two cannot be compared. Full matches come first.</p>`
}

const placeCard = (listing: NonNullable<Explained['listing']>, asked: Asked): Markup => {
  const { slug, place } = listing
  const link = html`<a href="${listingPath(kindOf(asked), slug)}"><bdi>${slug}</bdi></a>`
  const page = place === undefined ? 0 : Math.ceil(place / LIMIT)
  return card(
    place === undefined ? html`${link} is not found` : html`${link} is found`,
    html`<p>${placeText(listing)}${page > 1 && html` <a href="${addressWith(PATH, { ...asked, page: String(page) })}">Show that page</a>`}</p>
${place === undefined && (listing.words ?? []).length > 0 && html`<p class="note">Its words would score ${pointsText(listing, listing.score ?? 0)} in a partial match:</p>`}
${partList(listing)}`,
    { level: 2 },
  )
}

const matchBadge = ({ match }: ScoredListing): Markup =>
  match === 'full' ? badge('Full', 'good') : badge('Partial', 'notice')

const partList = (listing: ScoredListing): Markup | null => {
  const parts = scoreParts(listing)
  if (parts.length === 0) return null
  return html`<ul class="outcomes small">${parts.map(
    ({ word, text, points }) =>
      html`<li>${word && html`<bdi class="mono">${word}</bdi> `}<bdi class="quiet">${text}</bdi> <span class="figure">${points}</span></li>\n`,
  )}</ul>`
}

const questionWords = (words: NonNullable<Explained['words']>): Markup =>
  html`<h2>The words of the question</h2>
${table({
  caption: 'The words of the question',
  rows: words,
  columns: [
    {
      label: 'Word',
      rowHeader: true,
      cell: ({ word, partOf }) =>
        html`<bdi>${word}</bdi>${partOf !== undefined && html` <span class="note">of <bdi>${partOf}</bdi></span>`}`,
    },
    { label: 'What is done with it', cell: ({ use }) => WORD_USE_TEXTS[use] },
    { label: 'Rarity', kind: 'number', cell: ({ rarity }) => (rarity === undefined ? null : rarity / 1000) },
    {
      label: 'Matches in listings',
      cell: ({ terms, joined }) =>
        terms.length + joined.length === 0
          ? null
          : html`<bdi>${[...terms.map(({ term, quality }) => (quality === 'exact' ? term : `${term} (${QUALITY_TEXTS[quality]})`)), ...joined.map((term) => `${term} (written as one)`)].join(', ')}</bdi>`,
    },
  ],
})}`
