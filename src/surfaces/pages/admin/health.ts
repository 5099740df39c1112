// Listings whose website is gone, parked or moved, and what administrators do about one or many of them.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { LISTED_KINDS, TOPIC } from '../../../features/catalog/schema.ts'
import { decideHealth, listHealth } from '../../../features/health/operations.ts'
import { hasAlternatives } from '../../../features/health/rules.ts'
import type { HEALTH_DECISIONS, healthRowSchema } from '../../../features/health/schema.ts'
import { HEALTH_STATES, type HealthState } from '../../../features/listings/health.rules.ts'
import { identifiedCaller } from '../../http/gate.ts'
import { button } from '../kit/button.ts'
import { badge, type Tone } from '../kit/components.ts'
import { field, hiddenField } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { isCorrectable } from '../kit/private-pages.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { time } from '../kit/values.ts'
import { ADMIN } from './frame.ts'
import { declareList, externalLink } from './list-pages.ts'
import type { ConsolePages, Visit } from './visit.ts'

const PATH = `${ADMIN}/health`

export type ShownHealth = Static<typeof healthRowSchema>
type HealthDecision = (typeof HEALTH_DECISIONS)[number]

const STATES: Record<HealthState, [label: string, tone: Tone]> = {
  gone: ['Gone', 'danger'],
  parked: ['Parked', 'danger'],
  moved: ['Moved', 'notice'],
  alive: ['Alive', 'good'],
  blocked: ['Blocked', 'plain'],
  unreachable: ['Unreachable', 'plain'],
  unknown: ['Unknown', 'plain'],
}

export const healthBadge = (state: HealthState): Markup => badge(...STATES[state])

/** The form stands before the table. The checkboxes and buttons of the rows belong to it, so that one form decides about one or many. */
const FORM = 'decisions'
/** The name of a checkbox is this, the kind and the slug. */
const PICK = 'pick-'
/** The button of a row sends its decision, the kind and the slug. */
const ONE = 'one'

const WORDS: Record<HealthDecision, string> = { keep: 'Keep', hide: 'Hide', 'new-address': 'Take the new address' }

const areWebsitesChecked = ({ service, request }: Pick<Visit, 'service' | 'request'>): boolean =>
  service.context(identifiedCaller(request)).health.isOn

const list = declareList({
  path: PATH,
  operation: listHealth,
  title: 'Health',
  heading: 'Health of listings',
  filters: {
    show: {
      none: 'To decide',
      noneParameters: { open: 'true' },
      options: [
        { value: 'new', label: 'New since yesterday', parameters: { open: 'true', new: 'true' } },
        ...HEALTH_STATES.map((state) => ({ value: state, label: STATES[state][0], parameters: { state } })),
      ],
    },
    kind: { words: { tool: 'Tools', directory: 'Directories' }, none: 'Tools and directories' },
  },
  load: async (_visit, rows) => ({ isDecidable: rows.some(({ state }) => hasAlternatives(state)) }),
  lead: ({ visit }) =>
    `${areWebsitesChecked(visit) ? 'The website of every published listing is looked at every 7 days.' : 'No website is looked at, because HEALTH_CHECKS is off.'} Gone and parked are said after three looks in a row over at least 7 days.`,
  above: ({ visit, filters, loaded }) => loaded.isDecidable && decisionForm(visit, filters),
  columns: [
    { label: html`<span class="visually-hidden">Choose</span>`, cell: pickBox },
    { label: 'Listing', rowHeader: true, cell: (row) => listingCell(row) },
    { label: 'State', cell: ({ state }) => healthBadge(state) },
    { label: 'Since', cell: ({ since }) => time(since) },
    {
      label: 'Last look',
      cell: ({ checkedAt, status }) =>
        html`${time(checkedAt)}${status !== null && html` <span class="note">${status}</span>`}`,
    },
    { label: 'Actions', kind: 'actions', cell: actionsOf },
  ],
  empty: ({ visit }) => ({
    title: 'Nothing to decide',
    text: areWebsitesChecked(visit)
      ? 'No website was found gone, parked or moved.'
      : 'No website is looked at, because HEALTH_CHECKS is off.',
  }),
  noneFound: 'None of these',
})

interface Shown {
  show: string
  kind: string
}

const nameIn = ({ kind, slug }: Pick<ShownHealth, 'kind' | 'slug'>): string => `${kind}:${slug}`

/** The successor comes first: a browser sends the form with its first button when Enter is pressed in the field. */
const decisionForm = ({ token }: Visit, { show, kind }: Shown): Markup =>
  html`<form class="filters" id="${FORM}" method="post" action="${PATH}">
${token}${hiddenField('show', show)}${hiddenField('kind', kind)}
${field({ name: 'successor', label: 'Successor', placeholder: 'Slug', maxLength: 200, autocomplete: 'off', hint: 'Of the chosen ones; empty takes it back.' })}
<div class="row">${button('Name the successor', { name: 'do', value: 'successor', kind: 'plain' })}${Object.entries(WORDS).map(([decision, label]) => button(`${label}: chosen`, { name: 'do', value: decision, kind: 'plain' }))}</div>
</form>`

function pickBox(row: ShownHealth): Markup | null {
  return hasAlternatives(row.state)
    ? html`<input type="checkbox" form="${FORM}" name="${PICK}${nameIn(row)}" value="true" aria-label="Choose ${row.name}">`
    : null
}

const listingCell = ({ kind, slug, name, website, state, finalUrl, successor }: ShownHealth): Markup =>
  html`<a href="${ADMIN}/${TOPIC[kind]}/${encodeURIComponent(slug)}"><bdi>${name}</bdi></a> <span class="note">${externalLink(website, URL.parse(website)?.host ?? 'Website')}</span>${state === 'moved' && finalUrl !== null && html`<br><span class="note">leads to ${externalLink(finalUrl, URL.parse(finalUrl)?.host ?? finalUrl)}</span>`}${successor && html`<br><span class="note">Successor: <bdi>${successor.name}</bdi></span>`}`

function actionsOf(row: ShownHealth): Markup | null {
  if (!hasAlternatives(row.state)) return null
  const one = (decision: HealthDecision) =>
    html`<button type="submit" class="button plain slim" form="${FORM}" name="${ONE}" value="${decision} ${nameIn(row)}">${WORDS[decision]}<span class="visually-hidden">: ${row.name}</span></button>`
  return html`<div class="row tight">${row.state === 'moved' && one('new-address')}${one('hide')}${one('keep')}</div>`
}

// The message is kept in a cookie, which must stay small.
const MOST_NAMED = 3

/** Decides about the listing whose button was pressed, or about all that are chosen. */
async function decide(visit: Visit): Promise<FastifyReply> {
  const { form } = visit
  const back = addressWith(PATH, { show: form.show ?? '', kind: form.kind ?? '' })
  const [own, name] = (form[ONE] ?? '').split(' ')
  const chosen = name
    ? [name]
    : Object.keys(form).flatMap((field) => (field.startsWith(PICK) ? field.slice(PICK.length) : []))
  if (chosen.length === 0) return visit.redirect(back, { kind: 'notice', text: 'Choose at least one listing.' })
  const decision = name ? own : form.do
  const change = decision === 'successor' ? { successor: form.successor?.trim() || null } : { decision }
  const results: Static<typeof decideHealth.data> = []
  try {
    for (const kind of LISTED_KINDS) {
      const slugs = chosen.flatMap((one) => (one.startsWith(`${kind}:`) ? one.slice(kind.length + 1) : []))
      if (slugs.length > 0) results.push(...(await visit.perform(decideHealth, {}, { kind, slugs, ...change })))
    }
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return visit.redirect(back, { kind: 'danger', text: error.message })
  }
  const refused = results.filter(({ error }) => error !== null)
  const reasons = refused.slice(0, MOST_NAMED).map(({ slug, error }) => `${slug}: ${(error ?? '').slice(0, 200)}`)
  const text = [`${results.length - refused.length} of ${results.length} changed.`, ...reasons].join(' ')
  return visit.redirect(back, { kind: refused.length > 0 ? 'danger' : 'good', text })
}

export const healthPages: ConsolePages = { [PATH]: { GET: list, POST: decide } }
