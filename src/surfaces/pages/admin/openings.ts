// The listings that visitors open after which question, as far as this moves the results, and forgetting one of them.
import { forgetSearchOpening, listSearchOpenings } from '../../../features/learning/operations.ts'
import { actionForm } from '../kit/button.ts'
import { html } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { number, plainDay } from '../kit/values.ts'
import { action } from './actions.ts'
import { ADMIN } from './frame.ts'
import { declareList } from './list-pages.ts'
import type { ConsolePages } from './visit.ts'

export const OPENINGS_PATH = `${ADMIN}/search/openings`

export const openingPages: ConsolePages = {
  [OPENINGS_PATH]: {
    GET: declareList({
      path: OPENINGS_PATH,
      operation: listSearchOpenings,
      title: 'What visitors open',
      heading: html`<h1>What visitors open after a question</h1>`,
      lead: 'Such a listing stands up to two places higher in the results of its question, before those that are opened clearly less; never before a better kind of match. A pair appears when five different callers have opened the listing within one month, and counts half after 30 days. Nothing about the callers is stored.',
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
            actionForm({
              action: addressWith(`${OPENINGS_PATH}/${id}/forget`, { page: page > 1 ? String(page) : '' }),
              label: html`Forget<span class="visually-hidden">: <bdi>${words}</bdi></span>`,
              kind: 'plain',
              slim: true,
              values: visit.values,
            }),
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
