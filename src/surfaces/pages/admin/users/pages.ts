import type { Static } from 'typebox'
import { PLAN_LABELS, PLANS, ROLE_LABELS, ROLES, type userSchema } from '../../../../features/accounts/schema.ts'
import { badge, planBadge } from '../../kit/badge.ts'
import { breadcrumbs } from '../../kit/breadcrumbs.ts'
import { actionForm, button } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { emptyState } from '../../kit/empty-state.ts'
import { field, select } from '../../kit/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { ListPage } from '../../kit/paged-lists.ts'
import { type Refusal, refusalFlash } from '../../kit/problems.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { table } from '../../kit/table.ts'
import { time } from '../../kit/values.ts'
import { bannedFilter, filteredResults, filterForm } from '../filtered-lists.ts'
import { type AdminGrant, grantsTable } from '../grants.ts'
import { type AdminKey, banForm, keysTable } from '../keys.ts'
import { type AdminSubscription, ownSubscriptions } from '../subscriptions.ts'
import { storedValues, versionField, versionValue } from '../version-field.ts'

export const USERS = '/admin/users'
export type User = Static<typeof userSchema>
export interface PartnerName {
  id: string
  name: string
}

const labelOf = (value: string): string => LABELS[value] ?? value
const optionsFor = (values: readonly string[]) => values.map((value) => ({ value, label: labelOf(value) }))
const LABELS: Record<string, string> = { ...PLAN_LABELS, ...ROLE_LABELS }

const partnerOptions = (partners: readonly PartnerName[]) =>
  partners.map(({ id, name }) => ({ value: id, label: name }))

export function usersPage(
  list: ListPage<User>,
  filters: Record<'q' | 'plan' | 'role' | 'banned' | 'partner', string>,
  partners: readonly PartnerName[],
  newKey: Markup,
) {
  const isFiltered = Object.values(filters).some(Boolean)
  const names = new Map(partners.map(({ id, name }) => [id, name]))
  return {
    title: 'Users',
    body: html`<div class="flow">
<h1>Users</h1>
${filterForm(
  USERS,
  html`<div class="whole">${field({ name: 'q', label: 'E-mail address', type: 'search', value: filters.q, maxLength: 254, hint: 'Any part of it.' })}</div>
${select({ name: 'plan', label: 'Plan', none: 'Any', value: filters.plan, options: optionsFor(PLANS) })}
${select({ name: 'role', label: 'Role', none: 'Any', value: filters.role, options: optionsFor(ROLES) })}
${bannedFilter(filters.banned)}
${partners.length > 0 && select({ name: 'partner', label: 'Works for', none: 'Any', value: filters.partner, options: partnerOptions(partners) })}`,
  isFiltered,
)}
${filteredResults(
  list,
  USERS,
  filters,
  table({
    caption: 'Users',
    rows: list.rows,
    columns: [
      {
        label: 'E-mail',
        rowHeader: true,
        cell: ({ id, email }) => html`<a href="${USERS}/${id}"><bdi>${email}</bdi></a>`,
      },
      { label: 'Plan', cell: ({ plan }) => planBadge(plan) },
      {
        label: 'Role',
        cell: ({ role, banned }) =>
          html`<span class="row tight">${role === 'admin' ? badge('Administrator', 'notice') : 'User'}${banned && badge('Banned', 'danger')}</span>`,
      },
      {
        label: 'Works for',
        cell: ({ partnerId }) =>
          partnerId && html`<a href="/admin/partners/${partnerId}"><bdi>${names.get(partnerId) ?? partnerId}</bdi></a>`,
      },
      { label: 'Since', cell: ({ createdAt }) => time(createdAt) },
    ],
    empty: emptyState({ title: isFiltered ? 'No users found' : 'No users yet' }),
  }),
)}
${newKey}
</div>`,
  }
}

export interface UserPage {
  user: User
  /** The values of a form that was refused. */
  typed?: TypedUser
  keys: readonly AdminKey[]
  /** null: agents cannot sign in here. */
  grants: readonly AdminGrant[] | null
  /** null: the paid plan is not set up. */
  subscriptions: readonly AdminSubscription[] | null
  partners: readonly PartnerName[]
  token: Markup
  values: Record<string, string>
  /** Whether the page shows the administrator's own account. Administrators cannot ban themselves or take away their own rights. */
  isSelf: boolean
  refusal?: Refusal
}

/** The values in the form. */
export interface TypedUser {
  plan?: string
  role?: string
  partner?: string
}

export function userPage({
  user,
  typed = {},
  keys,
  grants,
  subscriptions,
  partners,
  token,
  values,
  isSelf,
  refusal,
}: UserPage) {
  const path = `${USERS}/${user.id}`
  const nameOf = (partnerId: string) => partners.find(({ id }) => id === partnerId)?.name ?? partnerId
  return {
    title: user.email,
    flash: refusalFlash(refusal),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Users', href: USERS }, { label: user.email }])}
<h1><bdi>${user.email}</bdi></h1>
<p class="row tight">${planBadge(user.plan)}${user.role === 'admin' && badge('Administrator', 'notice')}${user.banned && badge('Banned', 'danger')}${isSelf && badge('You')}</p>
<p class="note">Since ${time(user.createdAt)} · <a href="${addressWith('/admin/audit', { actor: user.email })}">what they did</a> · <a href="${addressWith('/admin/audit', { subject: `user:${user.id}` })}">what was done to them</a></p>
<form class="form" method="post" action="${path}">
${token}${versionField(user)}
${storedValues([
  [USER_LABELS.plan, typed.plan && LABELS[typed.plan], labelOf(user.grantedPlan)],
  ['Role', typed.role && LABELS[typed.role], labelOf(user.role)],
  ['Works for', typed.partner === undefined ? undefined : nameOf(typed.partner), nameOf(user.partnerId ?? '')],
])}
${select({ name: 'plan', label: USER_LABELS.plan, error: refusal?.marked.plan, value: typed.plan ?? user.grantedPlan, options: optionsFor(PLANS), hint: user.paidPlan === 'premium' ? 'What you grant. The user pays for Premium and keeps it either way.' : 'Holds for all keys of the user.' })}
${select({ name: 'role', label: USER_LABELS.role, error: refusal?.marked.role, value: typed.role ?? user.role, options: optionsFor(ROLES), disabled: isSelf, hint: isSelf ? 'You cannot take your own rights away; another administrator can.' : 'Administrators may do everything in this console.' })}
${select({ name: 'partner', label: USER_LABELS.partner, error: refusal?.marked.partner, none: 'No partner', value: typed.partner ?? user.partnerId, options: partnerOptions(partners), hint: 'The dashboard shows them that partner’s submissions and deliveries.' })}
<div class="row">${button('Save')}</div>
</form>
${sectionHead('Keys')}
${keysTable(keys, path, values)}
${
  user.banned
    ? html`<p>A banned user gets no new key.</p>`
    : html`<details><summary>Issue a key</summary><form class="form" method="post" action="${path}/keys" data-once>
${token}
${field({ name: 'name', label: 'Name', maxLength: 200, hint: 'What the key is for.' })}
${select({ name: 'plan', label: 'Plan of this key', none: 'As the user', value: '', options: optionsFor(PLANS), id: 'field-key-plan' })}
<p class="hint">Issuing it records that you vouch for the user’s agreement to the acceptable-use policy. The key is shown once.</p>
<div class="row">${button('Issue a key')}</div>
</form></details>`
}
${
  grants &&
  html`${sectionHead('Apps')}
${grantsTable(grants, path, values)}`
}
${subscriptions && ownSubscriptions(subscriptions, path, values)}
${sectionHead('Sign-in link')}
<p>With it the user sets a password and is signed in. It works once, for 24 hours, and takes the place of earlier ones. Its holder can sign in as that user: hand it over in private.</p>
${user.banned ? html`<p>A banned user gets no link.</p>` : actionForm({ action: `${path}/link`, label: 'Make a sign-in link', kind: 'plain', values, once: true })}
${sectionHead('Ban')}
${
  isSelf
    ? html`<p>You cannot ban yourself.</p>`
    : banForm({
        path,
        banned: user.banned,
        who: user.email,
        means: 'All keys and apps stop at once, the user is signed out everywhere and gets no new key.',
        values: { ...values, ...versionValue(user) },
      })
}
</div>`,
  }
}

export const NEW_KEY_LABELS = { email: 'E-mail address', name: 'Name of the key', plan: 'Plan of the key' }
export const USER_LABELS = { plan: 'Plan', role: 'Role', partner: 'Works for' }

export const newKeySection = (
  token: Markup,
  typed: { email?: string; name?: string; plan?: string } = {},
  marked: Refusal['marked'] = {},
): Markup =>
  html`${sectionHead('Issue a key')}
<form class="form" method="post" action="${USERS}">
${token}
${field({ name: 'email', label: NEW_KEY_LABELS.email, error: marked.email, type: 'email', required: true, value: typed.email, maxLength: 254, hint: 'If there is no user with this address, one is made.', id: 'field-new-email' })}
${field({ name: 'name', label: NEW_KEY_LABELS.name, error: marked.name, value: typed.name, maxLength: 200, id: 'field-new-name' })}
${select({ name: 'plan', label: NEW_KEY_LABELS.plan, error: marked.plan, none: 'As the user', value: typed.plan, options: optionsFor(PLANS), id: 'field-new-plan' })}
<p class="hint">Issuing it records that you vouch for the user’s agreement to the acceptable-use policy. The key is shown once.</p>
<div class="row">${button('Issue a key')}</div>
</form>`
