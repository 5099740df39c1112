// The list of visitors' questions that found nothing or only partial matches, and its export as a file.
import { LISTED_KINDS, TOPIC } from '../../../../features/catalog/schema.ts'
import { exportUnfoundQuestions, listUnfoundQuestions } from '../../../../features/unfound/operations.ts'
import type { SEARCHED, UnfoundQuestion } from '../../../../features/unfound/schema.ts'
import { perform } from '../../../../kernel/invoke.ts'
import { NDJSON } from '../../../../kernel/operation.ts'
import { dayOf } from '../../../../kernel/values/days.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { sendStream } from '../../../http/answers/answers.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import { linkButton } from '../../kit/button.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { VisitPages } from '../../kit/sending/private-pages.ts'
import { number, plainDay } from '../../kit/values.ts'
import { declareList } from '../kit/list-pages.ts'
import { explainPath } from '../search.ts'

const PATH = '/admin/unfound'
const TITLE = 'Unfound questions'
const EXPORT = `${PATH}/export`

const SEARCHED_PATHS: Record<(typeof SEARCHED)[number], string> = {
  tools: '/tools',
  directories: '/directories',
  both: '/search',
}

export const unfoundPages: VisitPages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listUnfoundQuestions,
      title: TITLE,
      load: async (_, rows) => rows.length > 0,
      heading: ({ loaded: hasRows }) =>
        html`<div class="row apart"><h1>${TITLE}</h1>${hasRows && linkButton(EXPORT, 'Export', { kind: 'plain' })}</div>`,
      lead: 'Questions that found nothing, or only partial matches, by their words. Nothing about the people who asked is stored, and a question appears only when five different callers asked it on one day.',
      filters: { searched: {} },
      caption: 'Questions',
      columns: [
        {
          label: 'Words',
          rowHeader: true,
          cell: (question) =>
            html`<a href="${addressWith(SEARCHED_PATHS[question.searched], { q: question.words })}"><bdi>${question.words}</bdi></a><br>${whyLinks(question)}`,
        },
        { label: 'Searched', cell: ({ searched }) => capitalised(searched) },
        { label: 'Asked', kind: 'number', cell: ({ times }) => number(times) },
        { label: 'Found nothing', kind: 'number', cell: ({ nothing }) => number(nothing) },
        { label: 'Only partial matches', kind: 'number', cell: ({ partial }) => number(partial) },
        { label: 'Last asked', cell: ({ lastDay }) => plainDay(lastDay) },
      ],
      empty: ({ visit: { service, request } }) =>
        service.context(identifiedCaller(request)).searchLearning === 'off'
          ? {
              title: 'Counting is switched off',
              text: html`No question is counted while the setting <code>SEARCH_LEARNING</code> is <code>off</code>.`,
            }
          : { title: 'No such question yet' },
    }),
  },
  [EXPORT]: {
    GET: async ({ service, request, reply }) => {
      const answer = await perform(exportUnfoundQuestions, service.context(identifiedCaller(request)), {})
      if (!('lines' in answer)) throw new TypeError('an export has lines')
      const name = `unfound-questions-${dayOf(Date.now())}.${NDJSON.extension}`
      reply.header('content-disposition', `attachment; filename="${name}"`)
      return sendStream(reply, NDJSON.type, answer.lines)
    },
  },
}

/** Links to the page that explains the search. A question to tools and directories has two, one for each. */
const whyLinks = ({ words, searched }: UnfoundQuestion): Markup =>
  html`<span class="note">${LISTED_KINDS.filter((kind) => searched === 'both' || searched === TOPIC[kind]).map(
    (kind) =>
      html`<a href="${explainPath(kind, words)}">Why not${searched === 'both' && `, in ${TOPIC[kind]}`}?<span class="visually-hidden"> <bdi>${words}</bdi></span></a> `,
  )}</span>`
