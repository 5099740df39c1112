// The pages for the user's keys: the list, a new key (shown once), replacing a key, revoking a key.
import type { Static } from 'typebox'
import { PLAN_LABELS } from '../../../features/accounts/schema.ts'
import type { listOwnPartnerKeys } from '../../../features/keys/account.operations.ts'
import { MAX_LIVE_KEYS, MAX_PARTNER_KEYS } from '../../../features/keys/budgets.rules.ts'
import { DEFAULT_OVERLAP_HOURS, isUnheld, MAX_OVERLAP_HOURS } from '../../../features/keys/rules.ts'
import { type accountSchema, type ownKeySchema, USAGE_DAYS, type usageSchema } from '../../../features/keys/schema.ts'
import { FOUNDER_HELP, OWN_PRODUCTS, SUBMIT } from '../addresses.ts'
import { button, linkButton } from '../kit/button.ts'
import {
  badge,
  codeBlock,
  copyableValue,
  emptyState,
  planBadge,
  sectionHead,
  summaryFigures,
} from '../kit/components.ts'
import { field, select } from '../kit/forms/field.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup } from '../kit/markup.ts'
import { ago, amount, exactTime, number, time } from '../kit/values.ts'
import { curlSnippet, snippetTabs } from '../site/texts/snippets.ts'
import { agreementBox } from '../site/texts/text-pages.ts'

export type OwnKey = Static<typeof ownKeySchema>
type PartnerKey = Static<typeof listOwnPartnerKeys.data>[number]
export type Account = Static<typeof accountSchema>

export const PARTNER_KEYS = '/dashboard/partner/keys'

interface KeysPage {
  account: Account
  keys: readonly OwnKey[]
  /** The keys of the partner that the user works for. */
  partnerKeys: readonly PartnerKey[]
  usage: readonly Static<typeof usageSchema>[]
  today: string
  token: Markup
  /** Whether founders may send products. */
  hasFounders: boolean
  /** The products of a founder, which come first; null without any. `waiting`: how many wait for the founder. */
  products: { rows: Markup; waiting: number } | null
}

/** The first page of the dashboard. Where founders may send products, these come first. */
export const keysPage = (given: KeysPage) => {
  const { account, keys, products } = given
  const isWithoutKeys = keys.length === 0 && !account.partner
  if (!given.hasFounders)
    return {
      title: 'Keys',
      body: html`<div class="flow"><h1>Keys</h1>
${keyParts(given)}</div>`,
    }
  if (!products)
    return {
      title: 'Overview',
      body: html`<div class="flow">
<h1>Overview</h1>
<section class="panel flow"><h2>List your product</h2><p>Give us its address. We read your site and fill in the listing; you correct it and send it. It costs nothing.</p>
<div class="row">${linkButton(SUBMIT, 'Submit a product', { kind: keys.length > 0 ? 'plain' : 'main' })}${linkButton(FOUNDER_HELP, 'How it works', { kind: 'plain' })}</div></section>
${isWithoutKeys ? firstKeyPart(given) : keySection(given)}</div>`,
    }
  return {
    title: 'Overview',
    body: html`<div class="flow">
<h1>Overview</h1>
<p class="lead">${products.waiting === 0 ? 'Nothing waits for you.' : products.waiting === 1 ? 'One product waits for you.' : `${products.waiting} products wait for you.`}</p>
${sectionHead('Products', { href: OWN_PRODUCTS, label: 'All products' })}
${products.rows}
${isWithoutKeys ? firstKeyPart(given) : keySection(given)}
</div>`,
  }
}

/** Without keys of one's own there are no figures, so the first list of keys is the heading. */
const keySection = (given: KeysPage): Markup => {
  const usage = { href: '/dashboard/usage', label: 'Usage' }
  const hasFigures = given.keys.some(isLive)
  return html`<section class="flow" id="keys">${hasFigures && sectionHead('Keys', usage)}${keyParts(given, hasFigures ? undefined : usage)}</section>`
}

const isLive = ({ revokedAt }: OwnKey): boolean => revokedAt === null

/** Shown instead of the keys while the user has none. Below products the form is closed; the script opens it for a link to its id. */
const firstKeyPart = ({ account: { limits, plan }, products, token }: KeysPage): Markup => {
  const title = 'Make a key for the API and for agents'
  const form = html`<p>No key yet. A new one works at once, with ${limits.rest} REST and ${limits.mcp} MCP calls a minute (plan ${PLAN_LABELS[plan]}).</p>
${newKeyForm(token)}`
  return products
    ? html`<details id="keys"><summary>${title}</summary><div class="flow">${form}</div></details>`
    : html`<section class="panel flow" id="keys"><h2>${title}</h2>${form}</section>`
}

/** `link`: beside the first heading. */
const keyParts = (
  { account, keys, partnerKeys, usage, today, token }: KeysPage,
  link?: Parameters<typeof sectionHead>[1],
): Markup => {
  const sum = (rows: typeof usage) => rows.reduce((all, { calls }) => all + calls, 0)
  const byKey = Map.groupBy(usage, ({ keyId }) => keyId)
  const usageOf = ({ id }: OwnKey) => byKey.get(id) ?? []
  const isToday = ({ day }: { day: string }) => day === today
  const live = keys.filter(isLive)
  return html`${
    live.length > 0 &&
    summaryFigures([
      ['Plan', PLAN_LABELS[account.plan]],
      ['REST calls a minute and key', account.limits.rest],
      ['MCP calls a minute and key', account.limits.mcp],
      ['Calls today', number(sum(usage.filter(isToday)))],
    ])
  }
${account.partner && partnerKeysPart(sectionHead(html`Keys of <bdi>${account.partner.name}</bdi>`, link), partnerKeys, token)}
${sectionHead(account.partner ? `Your own catalog keys: ${live.length} of ${MAX_LIVE_KEYS}` : `Live keys: ${live.length} of ${MAX_LIVE_KEYS}`, account.partner ? undefined : link)}
${table({
  caption: 'Live keys',
  rows: live,
  columns: [
    {
      label: 'Name',
      rowHeader: true,
      cell: ({ name, endsAt }) =>
        html`<bdi>${name || 'Without a name'}</bdi>${endsAt && html`<br>${badge('Replaced', 'notice')} <span class="note">works until ${exactTime(endsAt)}</span>`}`,
    },
    { label: 'Key', cell: ({ last4 }) => html`<code>…${last4}</code>` },
    // The operator may give a key another plan than its account has.
    { label: 'Plan', cell: ({ plan }) => planBadge(plan) },
    { label: 'Made', cell: ({ createdAt }) => ago(createdAt) },
    { label: 'Last used', cell: (key) => lastUse(key) },
    { label: 'Calls today', cell: (key) => sum(usageOf(key).filter(isToday)), kind: 'number' },
    {
      label: `${USAGE_DAYS} days`,
      kind: 'number',
      cell: (key) => html`<a href="/dashboard/usage?key=${key.id}">${number(sum(usageOf(key)))}</a>`,
    },
    { label: 'Actions', kind: 'actions', cell: keyActions },
  ],
  empty: html``,
})}
<section class="panel flow"><h2>New key</h2>
${live.length === 0 && html`<p>It works at once, for REST and for MCP.</p>`}
${live.length < MAX_LIVE_KEYS ? newKeyForm(token) : html`<p>You have ${MAX_LIVE_KEYS} live keys, the most one may have. Revoke one to make room.</p>`}</section>
${revokedKeys(keys.filter(({ revokedAt }) => revokedAt !== null))}`
}

const revokedKeys = (revoked: readonly OwnKey[]): Markup | false =>
  revoked.length > 0 &&
  html`<details><summary>Revoked keys (${revoked.length})</summary>${table({
    caption: 'Revoked keys',
    rows: revoked,
    columns: [
      { label: 'Name', cell: ({ name }) => html`<bdi>${name || 'Without a name'}</bdi>`, rowHeader: true },
      { label: 'Key', cell: ({ last4 }) => html`<code>…${last4}</code>` },
      { label: 'Made', cell: ({ createdAt }) => time(createdAt) },
      { label: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt) },
      { label: 'Revoked', cell: ({ revokedAt }) => time(revokedAt) },
    ],
  })}</details>`

/** Live and test keys of the partner. Every user of the partner can make and revoke test keys. */
const partnerKeysPart = (heading: Markup, keys: readonly PartnerKey[], token: Markup): Markup => {
  const tests = keys.filter(({ test }) => test).length
  return html`${heading}
${table({
  caption: 'Keys of the partner',
  rows: keys,
  columns: [
    { label: 'Key', rowHeader: true, cell: ({ last4 }) => html`<code>…${last4}</code>` },
    { label: 'For', cell: ({ test }) => (test ? badge('Test', 'notice') : badge('Live', 'good')) },
    { label: 'Made', cell: ({ createdAt }) => ago(createdAt) },
    { label: 'Last used', cell: (key) => lastUse(key) },
    { label: 'Works until', cell: ({ endsAt }) => endsAt && exactTime(endsAt) },
    {
      label: 'Actions',
      kind: 'actions',
      cell: ({ id, last4, test }) =>
        test
          ? html`<form method="post" action="${PARTNER_KEYS}/${encodeURIComponent(id)}/revoke">${token}${button(html`Revoke<span class="visually-hidden"> the test key that ends in ${last4}</span>`, { kind: 'danger', slim: true })}</form>`
          : null,
    },
  ],
  empty: emptyState({ title: 'No live key', text: 'Ask us for one, or make a test key.' }),
})}
${
  tests < MAX_PARTNER_KEYS
    ? html`<form class="row" method="post" action="${PARTNER_KEYS}" data-once>${token}${button('Make a test key', { kind: 'plain' })}<span class="note">It works in your sandbox alone: what it submits and asks touches nothing that is live.</span></form>`
    : html`<p class="note">You have ${MAX_PARTNER_KEYS} test keys, the most a partner may have. Revoke one to make room.</p>`
}
<p class="note">Live keys are handed over by us. If one is lost or others know it, ask for another.</p>`
}

const keyActions = ({ id, name, last4, endsAt }: OwnKey): Markup => {
  const link = (action: string, label: string, kind: 'plain' | 'danger') =>
    linkButton(
      `/dashboard/keys/${id}/${action}`,
      html`${label}<span class="visually-hidden"> ${name || `the key that ends in ${last4}`}</span>`,
      { kind, slim: true },
    )
  return html`<div class="row">${!endsAt && link('rotate', 'Replace', 'plain')}${link('revoke', 'Revoke', 'danger')}</div>`
}

const lastUse = (key: Pick<OwnKey, 'shownAt' | 'lastUsedAt' | 'revokedAt'>): Markup =>
  isUnheld(key)
    ? html`${badge('Never shown', 'notice')} <span class="note">The page with it did not arrive. Revoke it and make another.</span>`
    : key.lastUsedAt
      ? ago(key.lastUsedAt)
      : html`<span class="quiet">Never</span>`

const newKeyForm = (token: Markup): Markup => html`<form class="form" method="post" action="/dashboard/keys" data-once>
${token}
${field({ name: 'name', label: 'Name', maxLength: 200, placeholder: 'Production', hint: 'What the key is for.' })}
${agreementBox}
<div class="row">${button('Make a key')}</div>
</form>`

/** The only page that ever shows the whole key. `previousUntil`: until when the key that it replaces works; null: that key has stopped. */
export const newKeyPage = (
  { key, name }: { key: string; name: string },
  publicUrl: string,
  { previousUntil, isTest = false }: { previousUntil?: Date | null; isTest?: boolean } = {},
) => ({
  title: 'Your new key',
  flash: [
    { kind: 'notice' as const, text: 'This is the only time the whole key is shown. Copy it now.', isPermanent: true },
  ],
  body: html`<div class="flow">
<h1>Your new key</h1>
<p>${name && html`<strong><bdi>${name}</bdi></strong>: `}${copyableValue(key, 'Copy the key')}</p>
${
  previousUntil !== undefined &&
  html`<p>${previousUntil ? html`The old key works until <strong>${exactTime(previousUntil)}</strong>, then it stops by itself.` : 'The old key has stopped.'}</p>
`
}<p class="quiet">It works now. Keep it like a password: on your server or in your client's settings, never in a repository.</p>
${isTest && html`<p>It takes every call of a partner key: <a href="/docs">submit a product, ask for its status, ask a question</a>. The work then goes on by itself, and events go to your webhook address.</p>`}
${sectionHead('Try it')}
${isTest ? codeBlock('curl', curlSnippet(publicUrl, key)) : snippetTabs(publicUrl, key)}
<div class="row">${linkButton('/dashboard', 'I have copied it')}${linkButton('/docs', 'API reference', { kind: 'plain' })}</div>
</div>`,
})

/** How many hours the replaced key may still work. */
const OVERLAPS = [0, 1, DEFAULT_OVERLAP_HOURS, 72, MAX_OVERLAP_HOURS]

const overlapLabel = (hours: number): string => {
  if (hours === 0) return 'It stops at once'
  return hours % 24 === 0 ? amount(hours / 24, 'day', 'days') : amount(hours, 'hour', 'hours')
}

export const rotatePage = (key: OwnKey, token: Markup) => ({
  title: 'Replace a key',
  body: html`<div class="flow prose">
<h1>Replace this key</h1>
<p class="lead"><strong><bdi>${key.name || 'Without a name'}</bdi></strong>, ending in <code>${key.last4}</code>.</p>
<p>You get a new key with the same name and plan. Meanwhile the old one works on, so that you can put the new one in its place; then it stops by itself.</p>
<form class="form" method="post" action="/dashboard/keys/${key.id}/rotate" data-once>${token}
${select({
  name: 'overlapHours',
  label: 'The old key works for',
  value: String(DEFAULT_OVERLAP_HOURS),
  options: OVERLAPS.map((hours) => ({ value: String(hours), label: overlapLabel(hours) })),
  hint: 'Choose “It stops at once” when others know the key.',
})}
<div class="row">${button('Make the new key')}${linkButton('/dashboard', 'Keep the old one', { kind: 'plain' })}</div>
</form>
</div>`,
})

export const revokePage = (key: OwnKey, token: Markup) => ({
  title: 'Revoke a key',
  body: html`<div class="flow prose">
<h1>Revoke this key?</h1>
<p class="lead"><strong><bdi>${key.name || 'Without a name'}</bdi></strong>, ending in <code>${key.last4}</code>.</p>
<p>Whatever uses it gets a 401 from its next request on. A revoked key cannot be brought back. Last used: ${time(key.lastUsedAt) ?? 'never'}.</p>
<form method="post" action="/dashboard/keys/${key.id}/revoke">${token}<div class="row">${button('Revoke the key', { kind: 'danger' })}${linkButton('/dashboard', 'Keep it', { kind: 'plain' })}</div></form>
</div>`,
})
