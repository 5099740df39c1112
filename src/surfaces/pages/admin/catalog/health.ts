// Listings whose website is gone, parked or moved, and what administrators do about one or many of them.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { LISTED_KINDS, TOPIC } from '../../../../features/catalog/schema.ts'
import { decideHealth, listHealth } from '../../../../features/health/operations.ts'
import { hasAlternatives } from '../../../../features/health/rules.ts'
import type { HEALTH_DECISIONS, healthRowSchema } from '../../../../features/health/schema.ts'
import { HEALTH_STATES, type HealthState } from '../../../../features/listings/schema.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import { button } from '../../kit/button.ts'
import { badge, type Tone } from '../../kit/components.ts'
import { field } from '../../kit/forms/field.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { bulkForm, chosenIn, MOST_NAMED_REFUSALS, pickBox, rowButton } from '../kit/bulk.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList, externalLink } from '../kit/list-pages.ts'

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
  lead: ({ visit }) =>
    `${areWebsitesChecked(visit) ? 'The website of every published listing is looked at every 7 days.' : 'No website is looked at, because HEALTH_CHECKS is off.'} Gone and parked are said after three looks in a row over at least 7 days.`,
  bulk: ({ visit, filters }, rows) =>
    rows.some(isDecidable) && bulkForm(visit, { action: PATH, values: filters, fields: decisionFields }),
  columns: ({ visit }) => [
    {
      label: html`<span class="visually-hidden">Choose</span>`,
      cell: (row) => isDecidable(row) && pickBox(nameIn(row), 'true', row.name),
    },
    { label: 'Listing', rowHeader: true, cell: (row) => listingCell(visit, row) },
    { label: 'State', onPhones: 'unlabelled', cell: ({ state }) => healthBadge(state) },
    { label: 'Since', onPhones: 'unlabelled', cell: ({ since }) => ago(since) },
    {
      label: 'Last look',
      onPhones: 'hidden',
      cell: ({ checkedAt, status }) =>
        html`${ago(checkedAt)}${status !== null && html` <span class="note">${status}</span>`}`,
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

function isDecidable({ state }: ShownHealth): boolean {
  return hasAlternatives(state)
}

const nameIn = ({ kind, slug }: Pick<ShownHealth, 'kind' | 'slug'>): string => `${kind}:${slug}`

/** The button for the successor comes first: when Enter is pressed in its field, the browser presses the first button of the form. */
const decisionFields = html`${field({ name: 'successor', label: 'Successor', placeholder: 'Slug of the successor', hint: 'Empty takes it back.', maxLength: 200, autocomplete: 'off' })}
${button('Name the successor', { name: 'do', value: 'successor', kind: 'plain', slim: true })}${Object.entries(WORDS).map(([decision, label]) => button(html`${label}<span class="visually-hidden">: chosen</span>`, { name: 'do', value: decision, kind: 'plain', slim: true }))}`

const listingCell = (visit: Visit, { kind, slug, name, website, state, finalUrl, successor }: ShownHealth): Markup =>
  html`${namedListing(visit, TOPIC[kind], { slug, name })} <span class="note">${externalLink(website, parseUrl(website)?.host ?? 'Website')}</span>${state === 'moved' && finalUrl !== null && html` <span class="note">leads to ${externalLink(finalUrl, parseUrl(finalUrl)?.host ?? finalUrl)}</span>`}${successor && html` <span class="note">Successor: <bdi>${successor.name}</bdi></span>`}`

function actionsOf(row: ShownHealth): Markup | null {
  if (!isDecidable(row)) return null
  const one = (decision: HealthDecision) => rowButton(decision, { key: nameIn(row), name: row.name }, WORDS[decision])
  return html`<div class="row tight">${row.state === 'moved' && one('new-address')}${one('hide')}${one('keep')}</div>`
}

/** Decides about the listing whose button was pressed, or about all that are chosen. */
async function decide(visit: Visit): Promise<FastifyReply> {
  const { form } = visit
  const back = addressWith(PATH, { show: form.show ?? '', kind: form.kind ?? '' })
  const { does, rows: chosen } = chosenIn(form)
  if (chosen.length === 0) return visit.redirect(back, { kind: 'notice', text: 'Choose at least one listing.' })
  const decision = does ?? form.do
  const change = decision === 'successor' ? { successor: form.successor?.trim() || null } : { decision }
  const results: Static<typeof decideHealth.data> = []
  try {
    for (const kind of LISTED_KINDS) {
      const slugs = chosen.flatMap(({ key }) => (key.startsWith(`${kind}:`) ? key.slice(kind.length + 1) : []))
      if (slugs.length > 0) results.push(...(await visit.perform(decideHealth, {}, { kind, slugs, ...change })))
    }
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return visit.redirect(back, { kind: 'danger', text: error.message })
  }
  const refused = results.filter(({ error }) => error !== null)
  const reasons = refused
    .slice(0, MOST_NAMED_REFUSALS)
    .map(({ slug, error }) => `${slug}: ${(error ?? '').slice(0, 200)}`)
  const text = [`${results.length - refused.length} of ${results.length} changed.`, ...reasons].join(' ')
  return visit.redirect(back, { kind: refused.length > 0 ? 'danger' : 'good', text })
}

export const healthPages: VisitPages = { [PATH]: { GET: list, POST: decide } }
