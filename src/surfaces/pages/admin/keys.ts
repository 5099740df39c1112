// Keys of a user or a partner, as the console shows them.
import { isUnheld } from '../../../features/keys/rules.ts'
import { DEFAULT_OVERLAP_HOURS } from '../../../features/keys/schema.ts'
import { badge, planBadge } from '../kit/badge.ts'
import { actionForm, confirmedAction, linkButton } from '../kit/button.ts'
import { sectionHead } from '../kit/card.ts'
import { copyableValue } from '../kit/code.ts'
import { emptyState } from '../kit/empty-state.ts'
import { html, type Markup } from '../kit/markup.ts'
import { table } from '../kit/table.ts'
import { exactTime, time } from '../kit/values.ts'

export interface AdminKey {
  id: string
  last4: string
  name: string
  plan: string
  test: boolean
  createdAt: Date
  shownAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
  endsAt: Date | null
}

/** `path` is the page of the owner; the address that revokes a key is below it. */
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
      { label: 'Made', cell: ({ createdAt }) => time(createdAt) },
      { label: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt) ?? html`<span class="quiet">Never</span>` },
      { label: 'State', cell: state },
      {
        label: 'Actions',
        kind: 'actions',
        cell: ({ id, last4, revokedAt, endsAt }) =>
          revokedAt
            ? html``
            : html`${!endsAt && replaceAction(`${path}/keys/${id}/rotate`, last4, values)}${confirmedAction({
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

const state = (key: AdminKey): Markup => {
  if (key.revokedAt) return html`Revoked ${time(key.revokedAt)}`
  if (key.endsAt) return html`${badge('Replaced', 'notice')} until ${exactTime(key.endsAt)}`
  // The answer with the key was cut off: the key works, but its owner never received it.
  return isUnheld(key) ? badge('Never shown', 'notice') : badge('Live', 'good')
}

export const banForm = (given: {
  path: string
  banned: boolean
  who: string
  means: string
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
        question: html`Ban <strong><bdi>${given.who}</bdi></strong>? ${given.means}`,
        confirmLabel: 'Ban',
      })

/** The only page that ever shows a secret. */
export const secretPage = (given: {
  title: string
  intro: Markup | string
  secrets: readonly (readonly [label: string, value: string])[]
  back: string
}) => ({
  title: given.title,
  flash: [{ kind: 'notice' as const, text: 'This is the only time it is shown. Copy it now.', isPermanent: true }],
  body: html`<div class="flow">
<h1>${given.title}</h1>
<p>${given.intro}</p>
${given.secrets.map(([label, value]) => html`${sectionHead(label)}<p>${copyableValue(value, `Copy: ${label}`)}</p>`)}
<div class="row">${linkButton(given.back, 'I have copied it')}</div>
</div>`,
})
