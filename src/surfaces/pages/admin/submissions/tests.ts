// The test submissions of partners. They go on by themselves, so there is nothing to work.
import { listSubmissions } from '../../../../features/submissions/queue.operations.ts'
import { html } from '../../kit/markup.ts'
import { time } from '../../kit/values.ts'
import { ADMIN } from '../frame.ts'
import { allPartners, declareList, PARTNER_FILTER } from '../list-pages.ts'
import { submissionBadge } from '../states.ts'

export const showTestSubmissions = declareList({
  path: `${ADMIN}/submissions`,
  operation: listSubmissions,
  title: 'Test submissions',
  heading: 'Submissions',
  hasTests: true,
  load: async (visit) => ({ partners: await allPartners(visit) }),
  filters: { q: { label: 'Tool', placeholder: 'Name or website' }, client: PARTNER_FILTER },
  columns: [
    { label: 'Tool', rowHeader: true, cell: ({ tool }) => html`<bdi>${tool.name}</bdi>` },
    { label: 'Website', cell: ({ tool }) => html`<bdi>${tool.website}</bdi>` },
    { label: 'State', cell: ({ state }) => submissionBadge(state) },
    {
      label: 'Entered',
      kind: 'number',
      cell: ({ submittedCount, targetDirectoriesCount: target }) =>
        target > 0 ? `${submittedCount} of ${target}` : null,
    },
    { label: 'Partner', cell: ({ client }) => html`<bdi>${client.name}</bdi>` },
    { label: 'Submitted', cell: ({ createdAt }) => time(createdAt) },
    { label: 'Changed', cell: ({ updatedAt }) => time(updatedAt) },
  ],
  empty: {
    title: 'No test submissions',
    text: 'Partners make them with test keys, and old ones are deleted by themselves.',
  },
  noneFound: 'Nothing matches all of that',
})
