// Tables of the console with the keys of a user or partner, and with the programs that a user has signed in to; also the ban button.
import type { Static } from 'typebox'
import { type listKeys, revokeKey } from '../../../../features/keys/operations.ts'
import { DEFAULT_OVERLAP_HOURS, isUnheld } from '../../../../features/keys/rules.ts'
import { ENDING_LABELS, type grantSchema } from '../../../../features/oauth/schema.ts'
import { actionForm, confirmedAction } from '../../kit/button.ts'
import { badge, emptyState, planBadge } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit, VisitHandler } from '../../kit/sending/private-pages.ts'
import { ago, exactTime, number } from '../../kit/values.ts'

export type AdminKey = Static<typeof listKeys.data>[number]
/** The keys of a user or partner. `path`: the page of the owner; replacing and revoking a key have addresses below it. */
export const keysTable = (keys: readonly AdminKey[], path: string, values: Record<string, string>): Markup =>
  table({
    caption: 'Keys',
    rows: keys,
    columns: [
      {
        label: 'Key',
        rowHeader: true,
        cell: ({ last4, test }) => html`<code>…${last4}</code>${test && html` ${badge('Test', 'notice')}`}`,
      },
      { label: 'Name', cell: ({ name }) => name && html`<bdi>${name}</bdi>` },
      { label: 'Plan', cell: ({ plan }) => planBadge(plan) },
      { label: 'Made', cell: ({ createdAt }) => ago(createdAt) },
      {
        label: 'Last used',
        cell: ({ lastUsedAt }) => (lastUsedAt ? ago(lastUsedAt) : html`<span class="quiet">Never</span>`),
      },
      { label: 'State', cell: stateCell },
      {
        label: 'Actions',
        kind: 'actions',
        cell: ({ id, last4, revokedAt, endsAt }) =>
          !revokedAt &&
          html`${!endsAt && replaceAction(`${path}/keys/${id}/rotate`, last4, values)}${confirmedAction({
            action: `${path}/keys/${id}/revoke`,
            label: 'Revoke',
            slim: true,
            values,
            question: html`The key that ends in <code>${last4}</code> fails from its next request on. It cannot be brought back.`,
            confirmLabel: 'Revoke it',
          })}`,
      },
    ],
    empty: emptyState({ title: 'No keys' }),
  })

const replaceAction = (action: string, last4: string, values: Record<string, string>): Markup =>
  confirmedAction({
    action,
    label: 'Replace',
    slim: true,
    kind: 'plain',
    once: true,
    values,
    question: html`A new key takes the place of the one that ends in <code>${last4}</code>, which works on for ${DEFAULT_OVERLAP_HOURS} hours and then stops by itself.`,
    confirmLabel: 'Make the new key',
  })

/** Revokes the key that the path names. `back`: the page of its owner. */
export const revokeAction = (back: (visit: Visit) => string): VisitHandler =>
  action({
    operation: revokeKey,
    parameters: ({ param }) => ({ id: param('key') }),
    back,
    text: 'The key is revoked.',
  })

const stateCell = (key: AdminKey): Markup => {
  if (key.revokedAt) return html`Revoked ${ago(key.revokedAt)}`
  if (key.endsAt) return html`${badge('Replaced', 'notice')} until ${exactTime(key.endsAt)}`
  // The answer with the key was cut off: the key works, but its owner never received it.
  return isUnheld(key) ? badge('Never shown', 'notice') : badge('Live', 'good')
}

/** The button that bans a user or partner, or lifts the ban. */
export const banForm = (given: {
  path: string
  banned: boolean
  who: string
  consequences: string
  values: Record<string, string>
}): Markup =>
  given.banned
    ? actionForm({
        action: `${given.path}/ban`,
        label: 'Lift the ban',
        kind: 'plain',
        values: { ...given.values, banned: 'false' },
      })
    : confirmedAction({
        action: `${given.path}/ban`,
        label: 'Ban',
        values: { ...given.values, banned: 'true' },
        question: html`Ban <strong><bdi>${given.who}</bdi></strong>? ${given.consequences}`,
        confirmLabel: 'Ban',
      })

/** The programs that a user has signed in to. `path`: the page of the user; withdrawing a grant has an address below it. */
export const grantsTable = (
  grants: readonly Static<typeof grantSchema>[],
  path: string,
  values: Record<string, string>,
): Markup =>
  table({
    caption: 'Apps',
    rows: grants,
    columns: [
      {
        label: 'App',
        rowHeader: true,
        cell: ({ program, kind, clientId, website, operator }) =>
          html`<bdi>${program}</bdi> ${operator && badge('Operator', 'danger')} <span class="note"><bdi>${kind === 'document' ? clientId : (website ?? 'no address given')}</bdi></span>`,
      },
      { label: 'Since', cell: ({ createdAt }) => ago(createdAt) },
      {
        label: 'Policy',
        cell: ({ policyVersion, policyAgreedAt }) =>
          html`${policyVersion}${policyAgreedAt && html`, ${ago(policyAgreedAt)}`}`,
      },
      {
        label: 'Last used',
        cell: ({ lastUsedAt }) => (lastUsedAt ? ago(lastUsedAt) : html`<span class="quiet">Never</span>`),
      },
      { label: '30 days', kind: 'number', cell: ({ restCalls, mcpCalls }) => number(restCalls + mcpCalls) },
      {
        label: 'State',
        cell: ({ endedAt, endedBy }) =>
          endedAt ? html`${endedBy && ENDING_LABELS[endedBy]}, ${ago(endedAt)}` : badge('Live', 'good'),
      },
      {
        label: 'Actions',
        kind: 'actions',
        cell: ({ id, program, endedAt }) =>
          !endedAt &&
          confirmedAction({
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
