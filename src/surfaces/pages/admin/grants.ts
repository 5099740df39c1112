// The programs that a user has signed in to, as the console shows them.
import type { Static } from 'typebox'
import { ENDING_LABELS, type grantSchema } from '../../../features/oauth/schema.ts'
import { badge } from '../kit/badge.ts'
import { confirmedAction } from '../kit/button.ts'
import { emptyState } from '../kit/empty-state.ts'
import { html, type Markup } from '../kit/markup.ts'
import { table } from '../kit/table.ts'
import { number, time } from '../kit/values.ts'

export type AdminGrant = Static<typeof grantSchema>

/** `path` is the page of the user; the address that withdraws a grant is below it. */
export const grantsTable = (grants: readonly AdminGrant[], path: string, values: Record<string, string>): Markup =>
  table({
    caption: 'Apps',
    rows: grants,
    columns: [
      {
        label: 'App',
        rowHeader: true,
        cell: ({ program, kind, clientId, website }) =>
          html`<bdi>${program}</bdi> <span class="note"><bdi>${kind === 'document' ? clientId : (website ?? 'no address given')}</bdi></span>`,
      },
      { label: 'Since', cell: ({ createdAt }) => time(createdAt) },
      { label: 'Policy', cell: ({ policyVersion, policyAgreedAt }) => html`${policyVersion}, ${time(policyAgreedAt)}` },
      { label: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt) ?? html`<span class="quiet">Never</span>` },
      { label: '30 days', kind: 'number', cell: ({ restCalls, mcpCalls }) => number(restCalls + mcpCalls) },
      {
        label: 'State',
        cell: ({ endedAt, endedBy }) =>
          endedAt ? html`${endedBy && ENDING_LABELS[endedBy]}, ${time(endedAt)}` : badge('Live', 'good'),
      },
      {
        label: 'Actions',
        kind: 'actions',
        cell: ({ id, program, endedAt }) =>
          endedAt
            ? html``
            : confirmedAction({
                action: `${path}/grants/${id}/withdraw`,
                label: 'Withdraw',
                slim: true,
                values,
                question: html`<bdi>${program}</bdi> gets a 401 from its next request on. The user can allow it again.`,
                confirmLabel: 'Withdraw it',
              }),
      },
    ],
    empty: emptyState({ title: 'No apps' }),
  })
