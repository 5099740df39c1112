import type { Static } from 'typebox'
import {
  type OptionalEvent,
  type partnerSchema,
  SUPPORT_MODES,
  type SupportMode,
} from '../../../../features/partners/schema.ts'
import { eventBoxes, eventsText } from '../../event-boxes.ts'
import { badge } from '../../kit/badge.ts'
import { breadcrumbs } from '../../kit/breadcrumbs.ts'
import { actionForm, button, confirmedAction, linkButton, saveBar } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { emptyState } from '../../kit/empty-state.ts'
import { field, select } from '../../kit/field.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { ListPage } from '../../kit/paged-lists.ts'
import { type Refusal, refusalFlash } from '../../kit/problems.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { table } from '../../kit/table.ts'
import { time } from '../../kit/values.ts'
import { bannedFilter, filteredResults, filterForm } from '../filtered-lists.ts'
import { type AdminKey, banForm, keysTable } from '../keys.ts'
import type { User } from '../users/pages.ts'
import { storedValues, versionField, versionValue } from '../version-field.ts'
import { planTermsForm, type TypedLimits } from './plan-terms.ts'

export const PARTNERS = '/admin/partners'
export type Partner = Static<typeof partnerSchema>

/** The values in the form. */
export interface TypedPartner {
  name?: string
  contactEmail?: string
  webhookUrl?: string
  support?: string
  events?: readonly OptionalEvent[]
}

const SUPPORT_LABELS: Record<SupportMode, string> = {
  off: 'Off',
  hybrid: 'AI answers, then people',
  human: 'People only',
}
const supportOptions = SUPPORT_MODES.map((value) => ({ value, label: SUPPORT_LABELS[value] }))

export function partnersPage(
  list: ListPage<Partner>,
  filters: Record<'q' | 'banned', string>,
  typed: TypedPartner,
  token: Markup,
  refusal?: Refusal,
) {
  const isFiltered = Object.values(filters).some(Boolean)
  return {
    title: 'Partners',
    flash: refusalFlash(refusal),
    body: html`<div class="flow">
<h1>Partners</h1>
${filterForm(
  PARTNERS,
  html`<div class="whole">${field({ name: 'q', label: 'Words', type: 'search', value: filters.q, maxLength: 200, hint: 'In the name or the contact’s address.' })}</div>
${bannedFilter(filters.banned)}`,
  isFiltered,
)}
${filteredResults(
  list,
  PARTNERS,
  filters,
  table({
    caption: 'Partners',
    rows: list.rows,
    columns: [
      {
        label: 'Name',
        rowHeader: true,
        cell: ({ id, name, banned }) =>
          html`<a href="${PARTNERS}/${id}"><bdi>${name}</bdi></a>${banned && html` ${badge('Banned', 'danger')}`}`,
      },
      {
        label: 'Support',
        cell: ({ support }) => badge(SUPPORT_LABELS[support], support === 'off' ? 'plain' : 'accent'),
      },
      { label: 'Webhook', cell: ({ webhookUrl }) => webhookUrl && html`<bdi>${oneLine(webhookUrl, 60)}</bdi>` },
      { label: 'Contact', cell: ({ contactEmail }) => contactEmail && html`<bdi>${contactEmail}</bdi>` },
      { label: 'Key', cell: ({ last4 }) => last4 && html`<code>…${last4}</code>` },
      { label: 'Since', cell: ({ createdAt }) => time(createdAt) },
    ],
    empty: emptyState({
      title: isFiltered ? 'Nothing found' : 'No partners yet',
      text: isFiltered ? '' : 'Create one below.',
    }),
  }),
)}
${sectionHead('New partner')}
<form class="form" method="post" action="${PARTNERS}" data-once>
${token}
${partnerFields(typed, refusal?.marked)}
<p class="hint">Its key and its signing secret are shown once, on the next page.</p>
<div class="row">${button('Add the partner')}</div>
</form>
</div>`,
  }
}

export interface PartnerPage {
  partner: Partner
  typed: TypedPartner
  keys: readonly AdminKey[]
  people: readonly User[]
  articles: number
  token: Markup
  values: Record<string, string>
  /** The values of the refused form of limits. */
  limits?: TypedLimits
  refusal?: Refusal
}

export function partnerPage({ partner, typed, keys, people, articles, token, values, limits, refusal }: PartnerPage) {
  const path = `${PARTNERS}/${partner.id}`
  const guarded = { ...values, ...versionValue(partner) }
  return {
    title: partner.name,
    flash: refusalFlash(refusal),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Partners', href: PARTNERS }, { label: partner.name }])}
<h1><bdi>${partner.name}</bdi></h1>
<p class="row tight">${badge(`Support: ${SUPPORT_LABELS[partner.support]}`, partner.support === 'off' ? 'plain' : 'accent')}${partner.banned && badge('Banned', 'danger')}${!partner.webhookUrl && badge('No webhook', 'notice')}</p>
<div class="row">
${linkButton(addressWith('/admin/submissions', { client: partner.id }), 'Submissions', { kind: 'plain', slim: true })}
${linkButton(addressWith('/admin/webhooks', { client: partner.id }), 'Deliveries', { kind: 'plain', slim: true })}
${linkButton(addressWith('/admin/support', { client: partner.id }), 'Support', { kind: 'plain', slim: true })}
${linkButton(`${path}/knowledge`, `Knowledge (${articles})`, { kind: 'plain', slim: true })}
${linkButton(addressWith('/admin/audit', { subject: `partner:${partner.id}` }), 'History', { kind: 'plain', slim: true })}
</div>
<p class="note">Identifier <code>${partner.id}</code> · since ${time(partner.createdAt)}</p>
<form class="form" method="post" action="${path}">
${token}${versionField(partner)}
${
  refusal &&
  storedValues([
    ['Name', typed.name, partner.name],
    ['Contact', typed.contactEmail, partner.contactEmail ?? ''],
    ['Webhook', typed.webhookUrl, partner.webhookUrl ?? ''],
    ['Support', supportOptions.find(({ value }) => value === typed.support)?.label, SUPPORT_LABELS[partner.support]],
    ['Further events', typed.events && eventsText(typed.events), eventsText(partner.events)],
  ])
}
${partnerFields(typed, refusal?.marked)}
${eventBoxes(typed.events ?? partner.events)}
${saveBar(button('Save'))}
</form>
${planTermsForm(partner, path, token, limits)}
${
  partner.webhookUrl &&
  html`<div class="row">${actionForm({ action: `${path}/test-event`, label: 'Send a test event', kind: 'plain', values })}<span class="note">The page waits for the outcome, at most twelve seconds.</span></div>`
}
${sectionHead('Keys')}
${keysTable(keys, path, values)}
${partner.banned ? html`<p>A banned partner gets no new key.</p>` : html`<div class="row">${actionForm({ action: `${path}/keys`, label: 'Issue another key', kind: 'plain', values, once: true })}${actionForm({ action: `${path}/keys`, label: 'Issue a test key', kind: 'plain', values: { ...values, test: 'true' }, once: true })}<span class="note">Earlier keys keep working until they are revoked. A test key works in the sandbox alone.</span></div>`}
${sectionHead('Signing secret')}
<p>Webhooks are signed with it. A new one is shown once. For a day <code>webhook-signature</code> has a signature with the previous one too, unless it is replaced at once.</p>
${confirmedAction({
  action: `${path}/secret`,
  label: 'Replace the signing secret',
  values: guarded,
  once: true,
  question: 'A receiver that checks X-Catalog-Signature rejects our webhooks until it has the new secret. Replace it?',
  confirmLabel: 'Replace it',
})}
${confirmedAction({
  action: `${path}/secret`,
  label: 'Replace it at once',
  values: { ...guarded, overlapHours: '0' },
  once: true,
  question: 'The previous secret signs nothing from now on. Use this when it is known to others. Replace it?',
  confirmLabel: 'Replace it at once',
})}
${sectionHead('People', { href: addressWith('/admin/users', { partner: partner.id }), label: 'Show in user list' })}
${table({
  caption: 'People',
  rows: people,
  columns: [
    {
      label: 'E-mail',
      rowHeader: true,
      cell: ({ id, email }) => html`<a href="/admin/users/${id}"><bdi>${email}</bdi></a>`,
    },
    { label: 'Since', cell: ({ createdAt }) => time(createdAt) },
  ],
  empty: emptyState({
    title: 'No users yet',
    text: html`Users who work for the partner see its submissions in the dashboard. Set this on the page of a <a href="/admin/users">user</a>.`,
  }),
})}
${sectionHead('Ban')}
${banForm({ path, banned: partner.banned, who: partner.name, means: 'All its keys stop at once. Its submissions and conversations stay.', values: guarded })}
</div>`,
  }
}

export const PARTNER_LABELS = { name: 'Name', contactEmail: 'Contact', webhookUrl: 'Webhook', support: 'Support' }

const partnerFields = (
  { name, contactEmail, webhookUrl, support = 'off' }: TypedPartner,
  marked: Refusal['marked'] = {},
): Markup =>
  html`${field({ name: 'name', label: PARTNER_LABELS.name, error: marked.name, value: name, required: true, maxLength: 200 })}
${field({ name: 'contactEmail', label: PARTNER_LABELS.contactEmail, error: marked.contactEmail, value: contactEmail, inputMode: 'email', maxLength: 254, hint: 'An e-mail address, or empty.' })}
${field({ name: 'webhookUrl', label: PARTNER_LABELS.webhookUrl, error: marked.webhookUrl, value: webhookUrl, inputMode: 'url', maxLength: 2000, spellcheck: false, placeholder: 'https://', hint: 'URL for events; if empty, none are sent.' })}
${select({ name: 'support', label: PARTNER_LABELS.support, error: marked.support, value: support, options: supportOptions, hint: 'Who answers the questions of its customers.' })}`
