// Partners: creating and changing them, their keys and secrets, the limits of their plans, bans.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { createPartner, createPartnerKey, listKeys, rotateKey } from '../../../../features/keys/operations.ts'
import { changePartner, getPartner, listPartners, rotateSecret } from '../../../../features/partners/operations.ts'
import type { partnerSchema, SupportMode } from '../../../../features/partners/schema.ts'
import { listUsers } from '../../../../features/users/operations.ts'
import { sendTest } from '../../../../features/webhooks/operations.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { actionForm, button, confirmedAction, linkButton, saveBar } from '../../kit/button.ts'
import { badge, breadcrumbs, emptyState, sectionHead } from '../../kit/components.ts'
import { action, save } from '../../kit/forms/actions.ts'
import { declareForm, type Refused } from '../../kit/forms/declared-form.ts'
import { choice, field, select } from '../../kit/forms/field.ts'
import {
  expectedVersionOf,
  refusalFlash,
  refusalOf,
  storedValuesSection,
  versionField,
  versionValue,
} from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { chosenEvents, eventBoxes, eventsText } from '../../webhook-parts.ts'
import { declareList } from '../kit/list-pages.ts'
import { amountIn } from '../submissions/plan.ts'
import { banForm, keysTable, revokeAction } from './keys.ts'

export const PARTNERS = '/admin/partners'
const NEW = `${PARTNERS}/-/new`
export type Partner = Static<typeof partnerSchema>

const SUPPORT_WORDS: Record<SupportMode, string> = {
  off: 'Off',
  hybrid: 'AI answers, then people',
  human: 'People only',
}

const supportBadge = (support: SupportMode): Markup =>
  badge(SUPPORT_WORDS[support], support === 'off' ? 'plain' : 'accent')

const FORM = declareForm(changePartner, {
  name: { label: 'Name' },
  contactEmail: { label: 'Contact', inputMode: 'email', hint: 'An e-mail address, or empty.' },
  webhookUrl: {
    label: 'Webhook',
    inputMode: 'url',
    spellcheck: false,
    placeholder: 'https://',
    hint: 'URL for events; if empty, none are sent.',
  },
  support: { label: 'Support', words: SUPPORT_WORDS, hint: 'Who answers the questions of its customers.' },
})

const find = (visit: Visit): Promise<Partner> => visit.perform(getPartner, { id: visit.param('id') })
const pathOf = ({ param }: Visit): string => `${PARTNERS}/${encodeURIComponent(param('id'))}`

const showPartners = declareList({
  path: PARTNERS,
  operation: listPartners,
  title: 'Partners',
  heading: html`<div class="row apart"><h1>Partners</h1>${linkButton(NEW, 'Add a partner')}</div>`,
  filters: { q: { label: 'Search', placeholder: 'Name or contact’s address' }, banned: {} },
  columns: [
    {
      label: 'Name',
      rowHeader: true,
      cell: ({ id, name, banned }) =>
        html`<a href="${PARTNERS}/${id}"><bdi>${name}</bdi></a>${banned && html` ${badge('Banned', 'danger')}`}`,
    },
    {
      label: 'Support',
      onPhones: 'unlabelled',
      cell: ({ support }) => html`<span class="row">${supportBadge(support)}</span>`,
    },
    {
      label: 'Webhook',
      onPhones: 'hidden',
      className: 'no-break',
      cell: ({ webhookUrl }) => webhookUrl && html`<bdi>${oneLine(parseUrl(webhookUrl)?.host ?? webhookUrl, 40)}</bdi>`,
    },
    {
      label: 'Contact',
      onPhones: 'unlabelled',
      cell: ({ contactEmail }) => contactEmail && html`<bdi>${contactEmail}</bdi>`,
    },
    { label: 'Key', onPhones: 'hidden', cell: ({ last4 }) => last4 && html`<code>…${last4}</code>` },
    { label: 'Since', cell: ({ createdAt }) => ago(createdAt) },
  ],
  empty: { title: 'No partners yet' },
})

const showNew = (visit: Visit, refused?: Refused): Promise<FastifyReply> =>
  visit.send(
    {
      title: 'New partner',
      flash: refusalFlash(refused),
      body: html`<div class="flow">
${breadcrumbs([{ label: 'Partners', href: PARTNERS }, { label: 'New partner' }])}
<h1>New partner</h1>
<form class="form" method="post" action="${PARTNERS}" data-once>
${visit.token}
${FORM.fields({ support: 'off', ...refused?.typed }, refused?.marked)}
<p class="hint">Its key and its signing secret are shown once, on the next page.</p>
<div class="row">${button('Add the partner')}</div>
</form>
</div>`,
    },
    refused?.status,
  )

/** What the buttons have in common that need the partner of this page. */
const withPartner = { find, back: pathOf }
const forPartner = ({ name }: Partner, words: string): Markup => html`For <strong><bdi>${name}</bdi></strong>. ${words}`

export const partnerPages: VisitPages = {
  [PARTNERS]: {
    GET: (visit) => showPartners(visit),
    POST: save({
      form: FORM,
      page: showNew,
      operation: createPartner,
      done: (_, { id }) => `${PARTNERS}/${id}`,
      secret: ({ name, key, webhookSecret }) => ({
        title: 'A new partner',
        intro: html`<strong><bdi>${name}</bdi></strong>: hand both over in private.`,
        values: [
          ['Key', key],
          ['Signing secret of webhooks', webhookSecret],
        ],
      }),
    }),
  },
  [NEW]: { GET: (visit) => showNew(visit) },
  [`${PARTNERS}/:id`]: {
    GET: (visit) => showPartner(visit),
    POST: save({
      form: FORM,
      page: (visit, refused) => showPartner(visit, refused),
      operation: changePartner,
      body: ({ form }) => ({ ...FORM.body(FORM.typed(form)), events: chosenEvents(form) }),
      done: pathOf,
      text: 'Saved.',
    }),
  },
  [`${PARTNERS}/:id/plan`]: { POST: (visit) => saveLimits(visit) },
  [`${PARTNERS}/:id/ban`]: {
    POST: action({
      operation: changePartner,
      body: ({ form }) => ({ banned: form.banned === 'true' }),
      back: pathOf,
      text: ({ form }) => (form.banned === 'true' ? 'Banned: its keys have stopped.' : 'The ban is lifted.'),
    }),
  },
  [`${PARTNERS}/:id/keys`]: {
    POST: action({
      ...withPartner,
      operation: createPartnerKey,
      body: ({ form }) => ({ test: form.test === 'true' }),
      secret: ({ key }, partner, { form }) =>
        form.test === 'true'
          ? {
              title: 'A new test key',
              intro: forPartner(partner, 'It works now, in the sandbox alone.'),
              values: [['Test key', key]],
            }
          : {
              title: 'A new key',
              intro: forPartner(partner, 'It works now, and so do those before it.'),
              values: [['Key', key]],
            },
    }),
  },
  [`${PARTNERS}/:id/keys/:key/rotate`]: {
    POST: action({
      ...withPartner,
      operation: rotateKey,
      parameters: ({ param }) => ({ id: param('key') }),
      body: () => ({}),
      secret: ({ key }, partner) => ({
        title: 'A new key',
        intro: forPartner(partner, 'It works now; the old one stops by itself.'),
        values: [['Key', key]],
      }),
    }),
  },
  [`${PARTNERS}/:id/keys/:key/revoke`]: {
    POST: revokeAction(pathOf),
  },
  [`${PARTNERS}/:id/secret`]: {
    POST: action({
      ...withPartner,
      operation: rotateSecret,
      body: ({ form }) => (form.overlapHours === '0' ? { overlapHours: 0 } : {}),
      secret: ({ webhookSecret }, partner) => ({
        title: 'A new signing secret',
        intro: forPartner(partner, 'Events are signed with it from now on.'),
        values: [['Signing secret of webhooks', webhookSecret]],
      }),
    }),
  },
  // A success redirects to the page of the delivery, which shows what came of it.
  [`${PARTNERS}/:id/test-event`]: {
    POST: action({ operation: sendTest, back: pathOf, done: (_, { id }) => `/admin/webhooks/${id}` }),
  },
}

const OVERLAPS = [
  { value: '', label: 'Signs too for a day' },
  { value: '0', label: 'Signs nothing from now on' },
]
const BAN_ENDS = 'All its keys stop at once. Its submissions and conversations stay.'

const plainLink = (path: string, label: string): Markup => linkButton(path, label, { kind: 'plain', slim: true })

async function showPartner(visit: Visit, refused?: Refused, isLimitsForm = false): Promise<FastifyReply> {
  const partner = await find(visit)
  const ofPartner = { partner: partner.id, limit: 100 }
  const keys = await visit.perform(listKeys, ofPartner)
  const people = await visit.perform(listUsers, ofPartner)
  const path = `${PARTNERS}/${partner.id}`
  const { token, values, form } = visit
  const guarded = { ...values, ...versionValue(partner) }
  const typed = isLimitsForm ? undefined : refused?.typed
  const events = typed ? chosenEvents(form) : partner.events
  const page = {
    title: partner.name,
    flash: refusalFlash(refused),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Partners', href: PARTNERS }, { label: partner.name }])}
<div class="row"><h1><bdi>${partner.name}</bdi></h1>${partner.banned && badge('Banned', 'danger')}${!partner.webhookUrl && badge('No webhook', 'notice')}</div>
<p class="note">Identifier <code>${partner.id}</code> · added ${ago(partner.createdAt)}</p>
<div class="row">
${plainLink(addressWith('/admin/submissions', { client: partner.id }), 'Submissions')}
${plainLink(addressWith('/admin/webhooks', { client: partner.id }), 'Webhooks')}
${plainLink(addressWith('/admin/support', { client: partner.id }), 'Support')}
${plainLink(`${path}/knowledge`, 'Knowledge')}
${plainLink(addressWith('/admin/audit', { subject: `partner:${partner.id}` }), 'History')}
</div>
<div class="beside"><div class="flow">
<form class="form broad pairs panel" method="post" action="${path}">
${token}${versionField(partner)}
${typed && FORM.storedBeside(typed, partner, {}, [['Further events', eventsText(events), eventsText(partner.events)]])}
${FORM.fields(typed ?? FORM.of(partner), refused?.marked)}
${eventBoxes(events)}
${saveBar(button('Save'))}
</form>
<section class="panel flow">${sectionHead('People', { href: addressWith('/admin/users', { partner: partner.id }), label: 'In the user list' })}
${
  people.length === 0
    ? emptyState({
        title: 'No users yet',
        text: html`Users who work for the partner see its submissions in the dashboard. Set this on the page of a <a href="/admin/users">user</a>.`,
      })
    : html`<ul class="links lines">${people.map(({ id, email, createdAt }) => html`<li><a href="/admin/users/${id}"><bdi>${email}</bdi></a><span class="note">${ago(createdAt)}</span></li>\n`)}</ul>`
}</section>
</div>
<div class="flow">
${limitsForm(visit, partner, path, isLimitsForm)}
${
  partner.webhookUrl &&
  html`<section class="panel flow">${sectionHead('Test event')}<p class="small">The page waits for the outcome, at most twelve seconds.</p>${actionForm({ action: `${path}/test-event`, label: 'Send a test event', kind: 'plain', values })}</section>`
}
<section class="panel flow">${sectionHead('Signing secret')}
<p class="small">Webhooks are signed with it. A new one is shown once. For a day <code>webhook-signature</code> can have a signature with the previous one too.</p>
${confirmedAction({
  action: `${path}/secret`,
  label: 'Replace the signing secret',
  values: guarded,
  fields: select({
    name: 'overlapHours',
    label: 'The previous secret',
    options: OVERLAPS,
    hint: 'End it now when others know it.',
  }),
  once: true,
  question: 'A receiver that checks X-Catalog-Signature rejects our webhooks until it has the new secret.',
  confirmLabel: 'Replace it',
})}</section>
<section class="panel flow danger">${sectionHead('Ban')}
<p class="small">${partner.banned ? 'All its keys have stopped.' : BAN_ENDS}</p>
${banForm({ path, banned: partner.banned, who: partner.name, consequences: BAN_ENDS, values: guarded })}</section>
</div></div>
${sectionHead('Keys')}
${keysTable(keys, path, values)}
${partner.banned ? html`<p>A banned partner gets no new key.</p>` : html`<div class="row">${actionForm({ action: `${path}/keys`, label: 'Issue another key', kind: 'plain', values, once: true })}${actionForm({ action: `${path}/keys`, label: 'Issue a test key', kind: 'plain', values: { ...values, test: 'true' }, once: true })}<span class="note">Earlier keys keep working until they are revoked. A test key works in the sandbox alone.</span></div>`}
</div>`,
  }
  return visit.send(page, refused?.status)
}

const badgesText = (badges: boolean): string => (badges ? 'Accepted' : 'Refused')

/** The form with the limits of the plans for the partner's products. `isRefused`: it shows what was typed and refused. */
function limitsForm({ token, form, service }: Visit, partner: Partner, path: string, isRefused: boolean): Markup {
  const stored = partner.plan
  const { budget, badges } = isRefused ? typedLimits(form) : { ...stored, budget: String(stored.budget) }
  return html`<section class="panel flow">${sectionHead('Plans')}
<form class="form" method="post" action="${path}/plan">${token}${versionField(partner)}
${
  isRefused &&
  storedValuesSection([
    ['Budget', budget, String(stored.budget)],
    ['Badges', badgesText(badges), badgesText(stored.badges)],
  ])
}
${field({ name: 'budget', label: `Budget (${service.site.fields().currency})`, value: budget, inputMode: 'decimal', required: true, hint: 'Plans propose directories up to this price; 0: free ones only.' })}
${choice({ name: 'badges', label: 'Directories that demand a badge are fine', checked: badges })}
<div class="row">${button('Save the limits', { kind: 'plain' })}</div>
</form></section>`
}

const typedLimits = ({ budget = '', badges }: Visit['form']) => ({ budget, badges: badges === 'true' })

async function saveLimits(visit: Visit): Promise<FastifyReply> {
  const { budget, badges } = typedLimits(visit.form)
  const plan = { budget: amountIn(budget) ?? 0, badges }
  try {
    await visit.perform(changePartner, { id: visit.param('id'), ...expectedVersionOf(visit) }, { plan })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return showPartner(visit, { typed: {}, ...refusalOf(error, FORM.labels), status: error.status }, true)
  }
  return visit.redirect(pathOf(visit), { kind: 'good', text: 'Saved.' })
}
