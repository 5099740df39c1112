// The directories on record of all submissions, by who is waited for.
import { listWaiting } from '../../../../features/submissions/read.operations.ts'
import { ACTORS, labelOfReason, WAITING_REASONS } from '../../../../features/submissions/waiting.rules.ts'
import { capitalised } from '../../../../kernel/text.ts'
import { badge } from '../../kit/components.ts'
import { html } from '../../kit/markup.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { ago } from '../../kit/values.ts'
import { allPartners, declareList, PARTNER_FILTER } from '../list-pages.ts'
import { namedListing } from '../named.ts'
import { ACTOR_WORDS } from '../states.ts'
import type { ConsolePages } from '../visit.ts'
import { SUBMISSIONS, WAITING } from './list.ts'

const wordsOf = <T extends string>(names: readonly T[], word: (name: T) => string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, capitalised(word(name))]))

export const waitingPages: ConsolePages = {
  [WAITING]: {
    GET: declareList({
      path: WAITING,
      operation: listWaiting,
      title: 'What waits',
      lead: 'Directories on record that wait, the oldest first. What takes longer than a directory usually needs is overdue, and waits for us.',
      load: async (visit) => ({ partners: await allPartners(visit) }),
      filters: {
        waitingFor: { label: 'Waits for', none: 'Any', words: wordsOf(ACTORS, (actor) => ACTOR_WORDS[actor]) },
        reason: { words: wordsOf(WAITING_REASONS, labelOfReason) },
        client: PARTNER_FILTER,
      },
      columns: ({ visit }) => [
        {
          label: 'Tool',
          rowHeader: true,
          cell: ({ submissionId, tool, client, directory }) =>
            html`${namedListing(visit, 'tools', tool, addressWith(`${SUBMISSIONS}/${submissionId}`, { directory, show: 'all' }))} <span class="note"><bdi>${client.name}</bdi></span>`,
        },
        { label: 'Directory', onPhones: 'unlabelled', cell: ({ directoryName }) => html`<bdi>${directoryName}</bdi>` },
        {
          label: 'Waits for',
          onPhones: 'unlabelled',
          cell: ({ waitingFor }) =>
            waitingFor && badge(capitalised(ACTOR_WORDS[waitingFor]), waitingFor === 'us' ? 'notice' : 'plain'),
        },
        { label: 'Since', onPhones: 'unlabelled', cell: ({ since }) => ago(since) },
        { label: 'Why', onPhones: 'hidden', cell: ({ reason }) => reason && labelOfReason(reason) },
        { label: 'What to do', onPhones: 'unlabelled', cell: ({ action }) => html`<bdi>${action}</bdi>` },
      ],
      empty: { title: 'Nothing waits', text: 'Directories on record appear here until their listing is found.' },
      noneFound: 'None of these',
    }),
  },
}
