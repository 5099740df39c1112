// The owners of listings, and removing one.
import { listOwners, removeOwner } from '../../../features/founders/claims/operations.ts'
import type { ProofMethod } from '../../../features/founders/claims/rules.ts'
import { confirmedAction } from '../kit/button.ts'
import { badge } from '../kit/components.ts'
import { html } from '../kit/markup.ts'
import { ago } from '../kit/values.ts'
import { action } from './actions.ts'
import { ADMIN } from './frame.ts'
import { declareList } from './list-pages.ts'
import { namedListing } from './named.ts'
import type { ConsolePages } from './visit.ts'

const PATH = `${ADMIN}/owners`
const METHODS: Record<ProofMethod, string> = { dns: 'DNS', file: 'File', meta: 'Tag on the page' }

export const ownerPages: ConsolePages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listOwners,
      title: 'Owners',
      lead: 'Accounts that have proven that a listing is their own, newest first.',
      filters: { tool: { label: 'Tool', placeholder: 'Its slug' } },
      columns: ({ visit }) => [
        {
          label: 'Listing',
          rowHeader: true,
          cell: ({ tool }) => namedListing(visit, 'tools', tool),
        },
        {
          label: 'Owner',
          onPhones: 'unlabelled',
          cell: ({ user }) => html`<a href="${ADMIN}/users/${user.id}"><bdi>${user.email}</bdi></a>`,
        },
        {
          label: 'Proof',
          onPhones: 'unlabelled',
          cell: ({ method, failedAt }) => html`${METHODS[method]} ${failedAt && badge('Not found', 'danger')}`,
        },
        { label: 'Since', cell: ({ provenAt }) => ago(provenAt) },
        { label: 'Last looked', onPhones: 'hidden', cell: ({ checkedAt }) => ago(checkedAt) },
        {
          label: 'Actions',
          kind: 'actions',
          cell: ({ id, tool, user }) =>
            confirmedAction({
              action: `${PATH}/${id}/remove`,
              label: html`Remove<span class="visually-hidden">: ${user.email}, ${tool.name}</span>`,
              slim: true,
              values: visit.values,
              question: html`<bdi>${user.email}</bdi> then no longer owns <bdi>${tool.name}</bdi>.`,
              confirmLabel: 'Remove the owner',
            }),
        },
      ],
      empty: { title: 'No owners yet', text: 'Founders claim a listing from its page.' },
    }),
  },
  [`${PATH}/:id/remove`]: { POST: action({ operation: removeOwner, back: PATH, text: 'The owner is removed.' }) },
}
