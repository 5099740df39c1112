// Listings whose website is gone, parked or moved, and what administrators do about them.
import type { Static } from 'typebox'
import { LISTED_KINDS, type ListedKind } from '../../../features/catalog/schema.ts'
import { healthOperatorOperations as operations } from '../../../features/health/operations.ts'
import type { healthRowSchema } from '../../../features/health/schema.ts'
import { HEALTH_STATES, type HealthState } from '../../../features/listings/health.rules.ts'
import { entryOperations } from '../../../features/listings/operations.ts'
import { actionForm, button } from '../kit/button.ts'
import { badge, type Tone } from '../kit/components.ts'
import { field } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { time } from '../kit/values.ts'
import { action } from './actions.ts'
import { ADMIN } from './frame.ts'
import { declareList, externalLink } from './list-pages.ts'
import type { ConsolePages, Visit } from './visit.ts'

const PATH = `${ADMIN}/health`

type HealthRow = Static<typeof healthRowSchema>

const STATES: Record<HealthState, [label: string, tone: Tone]> = {
  gone: ['Gone', 'danger'],
  parked: ['Parked', 'danger'],
  moved: ['Moved', 'notice'],
  alive: ['Alive', 'good'],
  blocked: ['Blocked', 'plain'],
  unreachable: ['Unreachable', 'plain'],
  unknown: ['Unknown', 'plain'],
}

const list = declareList({
  path: PATH,
  operation: operations.list,
  title: 'Health',
  heading: 'Health of listings',
  lead: 'The website of every published listing is looked at every 7 days. Gone and parked are said after three looks in a row over at least 7 days.',
  filters: {
    show: {
      none: 'To decide',
      noneAsks: { open: 'true' },
      options: [
        { value: 'new', label: 'New since yesterday', ask: { open: 'true', new: 'true' } },
        ...HEALTH_STATES.map((state) => ({ value: state, label: STATES[state][0], ask: { state } })),
      ],
    },
    kind: { words: { tool: 'Tools', directory: 'Directories' }, none: 'Tools and directories' },
  },
  columns: ({ visit }) => [
    { label: 'Listing', rowHeader: true, cell: (row) => listingCell(row) },
    { label: 'State', cell: ({ state }) => badge(...STATES[state]) },
    { label: 'Since', cell: ({ since }) => time(since) },
    {
      label: 'Last look',
      cell: ({ checkedAt, status }) =>
        html`${time(checkedAt)}${status !== null && html` <span class="note">${status}</span>`}`,
    },
    { label: 'Actions', kind: 'actions', cell: (row) => actionsOf(visit, row) },
  ],
  empty: { title: 'Nothing to decide', text: 'No website was found gone, parked or moved.' },
  noneFound: 'None of these',
})

const listingCell = ({ kind, slug, name, website, state, finalUrl, successor }: HealthRow): Markup =>
  html`<a href="${ADMIN}/${PLURAL[kind]}/${encodeURIComponent(slug)}"><bdi>${name}</bdi></a> <span class="note">${externalLink(website, URL.parse(website)?.host ?? 'Website')}</span>${state === 'moved' && finalUrl !== null && html`<br><span class="note">leads to ${externalLink(finalUrl, URL.parse(finalUrl)?.host ?? finalUrl)}</span>`}${successor && html`<br><span class="note">Successor: <bdi>${successor.name}</bdi></span>`}`

const PLURAL: Record<ListedKind, string> = { tool: 'tools', directory: 'directories' }

const isDecided = (state: HealthState): boolean => state !== 'gone' && state !== 'parked' && state !== 'moved'

function actionsOf({ values, token }: Visit, { kind, slug, name, state }: HealthRow): Markup | null {
  if (isDecided(state)) return null
  const base = `${PATH}/${kind}/${encodeURIComponent(slug)}`
  const one = (path: string, label: string) =>
    actionForm({
      action: `${base}/${path}`,
      label: html`${label}<span class="visually-hidden">: ${name}</span>`,
      ...{ kind: 'plain', slim: true, values },
    })
  return html`<div class="row tight">${state === 'moved' && one('new-address', 'Take the new address')}${one('hide', 'Hide')}${one('keep', 'Keep')}</div>
<details><summary class="small">Successor</summary><form class="row" method="post" action="${base}/successor">${token}${field({ name: 'successor', id: `successor-${kind}-${slug}`, label: 'Slug of the successor', value: '' })}${button('Name it', { slim: true })}</form></details>`
}

const pagesOf = (kind: ListedKind): ConsolePages => {
  const base = `${PATH}/${kind}/:slug`
  const common = { operation: operations[kind], back: PATH }
  const hide = { back: PATH, body: () => ({ published: false }), text: 'It is hidden.' }
  return {
    [`${base}/keep`]: {
      POST: action({ ...common, body: () => ({ decision: 'keep' }), text: 'It stays as it is.' }),
    },
    [`${base}/new-address`]: {
      POST: action({ ...common, body: () => ({ decision: 'new-address' }), text: 'It has the new address now.' }),
    },
    [`${base}/successor`]: {
      POST: action({
        ...common,
        body: ({ form }) => ({ successor: form.successor || null }),
        text: 'Readers are told what to use instead.',
      }),
    },
    [`${base}/hide`]: {
      POST:
        kind === 'tool'
          ? action({ operation: entryOperations.tool.change, ...hide })
          : action({ operation: entryOperations.directory.change, ...hide }),
    },
  }
}

export const healthPages: ConsolePages = {
  [PATH]: { GET: list },
  ...Object.assign({}, ...LISTED_KINDS.map(pagesOf)),
}
