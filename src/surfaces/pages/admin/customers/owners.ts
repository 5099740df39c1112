// The list of accounts that own listings, with a button that removes one.
import { listOwners, removeOwner } from '../../../../features/founders/claims/operations.ts'
import type { ProofMethod } from '../../../../features/founders/claims/rules.ts'
import { confirmedAction } from '../../kit/button.ts'
import { badge } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { html } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'

const PATH = `${ADMIN}/owners`
const METHODS: Record<ProofMethod, string> = { dns: 'DNS', file: 'File', meta: 'Tag on the page' }

export const ownerPages: VisitPages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listOwners,
      title: 'Owners',
      lead: 'Accounts that have proven that a listing is their own, or have begun to, newest first.',
      filters: {
        state: { tabs: 'Claims', none: 'Owners', options: [{ value: 'unproven', label: 'Not proven yet' }] },
        tool: { label: 'Tool', placeholder: 'Slug or id' },
      },
      columns: ({ visit }) => [
        { label: 'Listing', rowHeader: true, cell: ({ tool }) => namedListing(visit, 'tools', tool) },
        {
          label: 'Owner',
          onPhones: 'unlabelled',
          cell: ({ user }) => html`<a href="${ADMIN}/users/${user.id}"><bdi>${user.email}</bdi></a>`,
        },
        {
          label: 'Proof',
          onPhones: 'unlabelled',
          cell: ({ method, failedAt }) =>
            html`${method && METHODS[method]} ${failedAt && badge('Not found', 'danger')}`,
        },
        { label: 'Since', cell: ({ provenAt, createdAt }) => ago(provenAt ?? createdAt) },
        { label: 'Last looked', onPhones: 'hidden', cell: ({ checkedAt }) => ago(checkedAt) },
        {
          label: 'Actions',
          kind: 'actions',
          className: 'beside-name',
          cell: ({ id, tool, user, provenAt }) =>
            provenAt &&
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
      empty: ({ filters: { state } }) => ({
        title: state ? 'No claims that are not proven' : 'No owners yet',
        text: 'Founders claim a listing from its page.',
      }),
    }),
  },
  [`${PATH}/:id/remove`]: { POST: action({ operation: removeOwner, back: PATH, text: 'The owner is removed.' }) },
}
