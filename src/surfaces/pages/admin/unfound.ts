// What people look for and do not find, and its export.

import type { FastifyInstance } from 'fastify'
import { LISTED_KINDS, TOPIC } from '../../../features/catalog/schema.ts'
import { exportUnfoundQuestions, listUnfoundQuestions } from '../../../features/unfound/operations.ts'
import { SEARCHED, type UnfoundQuestion } from '../../../features/unfound/schema.ts'
import { dayOf } from '../../../kernel/days.ts'
import { perform } from '../../../kernel/invoke.ts'
import { NDJSON } from '../../../kernel/operation.ts'
import { sendStream } from '../../http/answers.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { linkButton } from '../kit/button.ts'
import { emptyState } from '../kit/empty-state.ts'
import { select } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type ListPage, readListPage } from '../kit/paged-lists.ts'
import { addPrivatePages } from '../kit/private-pages.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { table } from '../kit/table.ts'
import { number, plainDay } from '../kit/values.ts'
import { filteredResults, filterForm, filtersOf } from './filtered-lists.ts'
import { sendAdmin } from './frame.ts'
import { explainPath } from './search.ts'

const PATH = '/admin/unfound'
const EXPORT = `${PATH}/export`

const SEARCHED_LABELS: Record<(typeof SEARCHED)[number], string> = {
  tools: 'Tools',
  directories: 'Directories',
  both: 'Both',
}
const SEARCHED_PATHS: Record<(typeof SEARCHED)[number], string> = {
  tools: '/tools',
  directories: '/directories',
  both: '/search',
}

export function addUnfoundPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: {
      GET: async (request, reply) => {
        const filters = filtersOf(request, ['searched'])
        const list = await readListPage(service, request, listUnfoundQuestions, filters)
        return sendAdmin(service, request, reply, unfoundPage(list, filters))
      },
    },
    [EXPORT]: {
      GET: async (request, reply) => {
        const answer = await perform(exportUnfoundQuestions, service.context(identifiedCaller(request)), {})
        if (!('lines' in answer)) throw new TypeError('an export has lines')
        const day = dayOf(Date.now())
        const name = `unfound-questions-${day}.${NDJSON.extension}`
        reply.header('content-disposition', `attachment; filename="${name}"`)
        return sendStream(reply, NDJSON.type, answer.lines)
      },
    },
  })
}

const unfoundPage = (list: ListPage<UnfoundQuestion>, filters: Record<'searched', string>) => {
  const isFiltered = filters.searched !== ''
  return {
    title: 'What people do not find',
    body: html`<div class="flow">
<div class="row apart"><h1>What people look for and do not find</h1>${linkButton(EXPORT, 'Export', { kind: 'plain' })}</div>
<p class="lead">Questions that found nothing, or only partial matches, by their words. Nothing about the people who asked is stored, and a question appears only when five different callers asked it on one day.</p>
${filterForm(
  PATH,
  select({
    name: 'searched',
    label: 'Searched',
    none: 'Any',
    value: filters.searched,
    options: SEARCHED.map((value) => ({ value, label: SEARCHED_LABELS[value] })),
  }),
  isFiltered,
)}
${filteredResults(
  list,
  PATH,
  filters,
  table({
    caption: 'Questions',
    rows: list.rows,
    columns: [
      {
        label: 'Words',
        rowHeader: true,
        cell: (question) =>
          html`<a href="${addressWith(SEARCHED_PATHS[question.searched], { q: question.words })}"><bdi>${question.words}</bdi></a><br>${whyLinks(question)}`,
      },
      { label: 'Searched', cell: ({ searched }) => SEARCHED_LABELS[searched] },
      { label: 'Asked', kind: 'number', cell: ({ times }) => number(times) },
      { label: 'Found nothing', kind: 'number', cell: ({ nothing }) => number(nothing) },
      { label: 'Only partial matches', kind: 'number', cell: ({ partial }) => number(partial) },
      { label: 'Last asked', cell: ({ lastDay }) => plainDay(lastDay) },
    ],
    empty: emptyState({
      title: isFiltered ? 'Nothing found' : 'Nothing yet',
      text: isFiltered
        ? undefined
        : 'Questions appear here when five different callers ask them on one day, unless SEARCH_LEARNING is off.',
    }),
  }),
)}
</div>`,
  }
}

/** Links to the page that explains the search; a question to both catalogs has two. */
const whyLinks = ({ words, searched }: UnfoundQuestion): Markup =>
  html`<span class="note">${LISTED_KINDS.filter((kind) => searched === 'both' || searched === TOPIC[kind]).map(
    (kind) =>
      html`<a href="${explainPath(kind, words)}">Why not${searched === 'both' && `, in ${TOPIC[kind]}`}?<span class="visually-hidden"> <bdi>${words}</bdi></span></a> `,
  )}</span>`
