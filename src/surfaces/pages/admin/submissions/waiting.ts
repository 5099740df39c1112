// The list of directories on record that wait for something, of all submissions, with who is waited for.
import { ACTORS, labelOfReason, WAITING_REASONS } from '../../../../features/submissions/queue/waiting.rules.ts'
import { listWaiting, type WaitingRow } from '../../../../features/submissions/read/read.operations.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { allPartners, declareList, PARTNER_FILTER } from '../kit/list-pages.ts'
import { ACTOR_WORDS, waitMark } from '../kit/states.ts'
import { SUBMISSIONS, submissionViews, WAITING } from './list.ts'

const wordsOf = <T extends string>(names: readonly T[], word: (name: T) => string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, capitalised(word(name))]))

/** How many of the rows wait for whom: "2 for us, 1 for the founder". Only rows of this page count; the next may have more. */
const countsOf = (rows: readonly WaitingRow[]): string =>
  ACTORS.flatMap((actor) => {
    const count = rows.filter(({ waitingFor }) => waitingFor === actor).length
    return count > 0 ? `${count} for ${ACTOR_WORDS[actor]}` : []
  }).join(', ')

export const waitingPages: VisitPages = {
  [WAITING]: {
    GET: declareList({
      path: WAITING,
      operation: listWaiting,
      title: 'What waits',
      heading: html`<div class="row apart"><h1>Submissions</h1>${submissionViews('What waits')}</div>`,
      lead: 'Directories we wait for, longest first. What is overdue waits for us.',
      load: async (visit) => ({ partners: await allPartners(visit) }),
      filters: {
        waitingFor: { label: 'Waits for', none: 'Any', words: wordsOf(ACTORS, (actor) => ACTOR_WORDS[actor]) },
        reason: { words: wordsOf(WAITING_REASONS, labelOfReason) },
        client: PARTNER_FILTER,
      },
      group: ({ visit }) => ({
        key: ({ submissionId }) => submissionId,
        heading: ({ submissionId, tool, client }, rows) =>
          html`<span class="row">${namedListing(visit, 'tools', tool, `${SUBMISSIONS}/${submissionId}`)}<span class="note"><bdi>${client.name}</bdi></span><span class="note">${countsOf(rows)}<span class="extra"> on this page</span></span></span>`,
      }),
      columns: ({ visit }) => [
        {
          label: 'Directory',
          rowHeader: true,
          cell: ({ submissionId, directory, directoryName }) =>
            namedListing(
              visit,
              'directories',
              { slug: directory, name: directoryName },
              addressWith(`${SUBMISSIONS}/${submissionId}`, { directory, show: 'all' }),
            ),
        },
        { label: 'Since', className: 'beside-name', onPhones: 'unlabelled', cell: ({ since }) => ago(since) },
        {
          label: 'Waits for, and what to do',
          className: 'broad',
          onPhones: 'unlabelled',
          cell: ({ waitingFor, action }) =>
            html`${waitingFor && waitMark(waitingFor)} <bdi class="small">${action}</bdi>`,
        },
      ],
      empty: { title: 'No directory is waited for', text: 'Those on record appear here until their listing is found.' },
      noneFound: 'None of these',
    }),
  },
}
