// The list of what visitors report about listings, with a form that answers and closes the reports of a listing.
import type { Static } from 'typebox'
import { TOPIC } from '../../../../features/catalog/schema.ts'
import { answerVisitorReports, listVisitorReports } from '../../../../features/health/reports/reports.operations.ts'
import { addressesIn, REPORT_REASONS, type ReportReason } from '../../../../features/health/reports/reports.rules.ts'
import { button } from '../../kit/button.ts'
import { action } from '../../kit/forms/actions.ts'
import { textarea } from '../../kit/forms/field.ts'
import { versionField } from '../../kit/forms/forms.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'

export const VISITOR_REPORTS = `${ADMIN}/visitor-reports`

export type VisitorReports = Static<typeof listVisitorReports.data>[number]

const REASONS: Record<ReportReason, string> = {
  wrong: 'something is wrong',
  gone: 'it is gone',
  'broken-form': 'a form or link is broken',
  other: 'something else',
}

export const visitorReportPages: VisitPages = {
  [VISITOR_REPORTS]: {
    GET: declareList({
      path: VISITOR_REPORTS,
      operation: listVisitorReports,
      title: 'Reports',
      heading: 'Reports of visitors',
      lead: 'What visitors say is wrong with a listing. An answer goes to those who left an address, and closes the reports.',
      filters: {
        state: {
          tabs: 'Reports by state',
          none: 'Open',
          options: [{ value: 'answered', label: 'Answered' }],
          noneParameters: { state: 'open' },
        },
        kind: { words: { tool: 'Tools', directory: 'Directories' }, none: 'Tools and directories' },
      },
      columns: ({ visit }) => [
        {
          label: 'Listing',
          rowHeader: true,
          cell: ({ kind, slug, name }) =>
            html`${namedListing(visit, TOPIC[kind], { slug, name })} <span class="note"><a href="/${TOPIC[kind]}/${slug}">Page of the ${kind}</a></span>`,
        },
        { label: 'Reports', onPhones: 'unlabelled', cell: ({ reasons }) => reasonText(reasons) },
        { label: 'What they write', onPhones: 'unlabelled', cell: ({ messages }) => messageList(messages) },
        { label: 'Last', onPhones: 'unlabelled', cell: ({ lastAt }) => ago(lastAt) },
        {
          label: 'Answer',
          onPhones: 'unlabelled',
          cell: (row) => (row.state === 'open' ? answerForm(visit, row) : html`<span dir="auto">${row.answer}</span>`),
        },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None answered yet' }
          : { title: 'Nothing waits', text: 'Visitors report a listing from its page.' },
      noneFound: 'None of these',
    }),
  },
  [`${VISITOR_REPORTS}/:id/answer`]: {
    POST: action({
      operation: answerVisitorReports,
      back: VISITOR_REPORTS,
      body: ({ form }) => ({ answer: form.answer }),
      text: 'The reports are closed.',
    }),
  },
}

export const reasonText = (reasons: VisitorReports['reasons']): string =>
  REPORT_REASONS.flatMap((reason) => {
    const count = reasons[reason] ?? 0
    return count > 0 ? `${count}\u00A0${count === 1 ? 'says' : 'say'}: ${REASONS[reason]}` : []
  }).join(', ')

const messageList = (messages: VisitorReports['messages']): Markup | null => {
  const written = messages.filter(({ note }) => note !== '')
  return written.length === 0
    ? null
    : html`<ul class="outcomes">${written.map(({ note }) => html`<li class="small" dir="auto">${note}</li>\n`)}</ul>`
}

function answerForm(visit: Visit, row: VisitorReports): Markup {
  const waiting = visit.service.sendsMail ? addressesIn(row.messages).length : 0
  return html`<form class="${waiting > 0 ? 'flow' : 'row'}" method="post" action="${VISITOR_REPORTS}/${row.id}/answer">${visit.token}${versionField(row)}
${waiting > 0 && textarea({ name: 'answer', id: `answer-${row.id}`, label: `Answer to ${waiting === 1 ? 'one visitor' : `${waiting} visitors`}`, rows: 2, maxLength: 2000, hint: 'Empty sends nothing.' })}
${waiting === 0 && html`<span class="note">No one to answer</span> `}${button(html`${waiting > 0 ? 'Answer and close' : 'Close'}<span class="visually-hidden">: ${row.name}</span>`, { kind: 'plain', slim: true })}</form>`
}
