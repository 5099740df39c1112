// /styleguide: every component in every state, for people who work on pages. It exists only with STYLEGUIDE=on, as `npm run dev` sets it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PLANS } from '../../../features/accounts/schema.ts'
import type { Service } from '../../http/service.ts'
import { actionForm, button, confirmedAction, keyHint, linkButton, saveBar } from '../kit/button.ts'
import {
  badge,
  board,
  breadcrumbs,
  brokenRowBadge,
  card,
  codeBlock,
  codeTabs,
  copyableFact,
  copyableValue,
  copyTextButton,
  countedTitle,
  emptyState,
  numberedSteps,
  planBadge,
  plate,
  progress,
  sectionHead,
  summaryFigures,
  type Tone,
  tabs,
  thread,
  tile,
  viewChip,
} from '../kit/components.ts'
import {
  choice,
  field,
  fieldGroup,
  fileField,
  formContents,
  hiddenField,
  select,
  textarea,
} from '../kit/forms/field.ts'
import { storedValuesSection, versionField } from '../kit/forms/forms.ts'
import { searchForm } from '../kit/forms/search-form.ts'
import { ICON_NAMES, icon } from '../kit/icon.ts'
import { type AddressQuery, queryText } from '../kit/lists/address-query.ts'
import { barChart, meter } from '../kit/lists/chart.ts'
import { listCount, pager, previousNextLinks } from '../kit/lists/paged-lists.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup } from '../kit/markup.ts'
import { listingTile, namedListing, type ServedRequest } from '../kit/named-listing.ts'
import { HTML_TYPE } from '../kit/sending/answers.ts'
import { type Page, renderPage } from '../kit/sending/document.ts'
import { addPublicPages } from '../kit/sending/public-pages.ts'
import {
  ago,
  brokenAtDots,
  compactNumber,
  date,
  day,
  difference,
  exactTime,
  number,
  plainDay,
  time,
} from '../kit/values.ts'

export function addStyleguide(server: FastifyInstance, service: Service): void {
  const send = (request: FastifyRequest, reply: FastifyReply) => {
    const scheme = queryText(request.query as AddressQuery, 'scheme')
    const page = { ...styleguidePage(scheme, { service, request }), showsAreas: true }
    return reply.header('cache-control', 'no-store').type(HTML_TYPE).send(renderPage(page, service.site.fields()))
  }
  addPublicPages(server, service, { [STYLEGUIDE]: send }, { checksCrawlers: false })
}

// The samples of components that show values: texts, badges, figures, charts.
const AT = '2026-03-01T09:30:00.000Z'
const TONES: readonly Tone[] = ['plain', 'accent', 'info', 'good', 'notice', 'danger', 'marker']
const BARS = Array.from({ length: 30 }, (_, i) => ({ label: `${i + 1}.`, value: (i * 37) % 90 }))

const textSamples: Samples = {
  'Type and colours of text': [
    html`<p class="lead">The lead under the heading of a page.</p>`,
    html`<p>A paragraph with a <a href="/styleguide">link</a>, <strong>strong words</strong>, <code>code</code> and <mark>marked words</mark>, and a host that breaks at its dots: ${brokenAtDots('catalog.example.com')}.</p>`,
    html`<p class="quiet">Quiet text.</p><p class="small">Small text.</p><p class="note">A note.</p>`,
  ],
  Badge: [
    html`<p class="row">${TONES.map((tone) => badge(tone, tone))}</p>`,
    html`<p class="row">${PLANS.map(planBadge)}</p>`,
    html`<p>A row ${brokenRowBadge({ broken: 'faqs.0.answer is missing.' })}</p>`,
  ],
  'Times and numbers': [
    html`<p>${time(AT)} · ${exactTime(AT)} · ${day(AT)} · ${ago(AT)} · ${plainDay('2026-03-01')} · ${date(AT)} · ${number(1234.5)} · ${compactNumber(254_000)}</p>`,
    html`<p>${difference('It writes mails.', 'It writes mails and letters.')}</p>`,
  ],
  Tile: [
    html`<p class="row">${['Ada', 'Boole', 'Curie', 'Dirac', 'Euler', 'Fermi', 'Gauss', 'Hopper'].map((name) => tile(name, null))}${tile('Noether', null, { big: true })}</p>${plate('Noether', null)}`,
  ],
  Icon: [
    html`<p class="row">${ICON_NAMES.map((name) => icon(name))}</p>`,
    html`<p class="row">${icon('search', 'small')}${icon('search')}${icon('search', 'large')}</p>`,
  ],
  Card: [
    html`<div class="grid">${card('A card', html`<p>With a text.</p>`)}${card('An accented card', html`<p class="price">9</p>`, { accent: true })}</div>`,
  ],
  'Head of a section': [
    sectionHead('Most opened', { href: '/tools', label: 'All tools' }),
    sectionHead(countedTitle('Tools', 12)),
    html`<h2>Reviews${listCount({ rows: Array(50).fill(null), page: 1, hasMore: true })}</h2>`,
  ],
  Figures: [
    summaryFigures([
      ['Calls today', '1,204'],
      ['Keys', 3],
      ['Plan', 'Premium'],
    ]),
  ],
  Chart: [
    barChart({ title: 'Calls a day', bars: BARS }),
    html`<p class="row">${[0, 12, 50, 100].map((value) => html`<span class="dr"><span>${value}</span>${meter(value)}</span>`)}</p>`,
  ],
  Progress: [
    progress({ label: 'None', value: 0, max: 30 }),
    progress({ label: 'Some', value: 12, max: 30 }),
    progress({ label: 'All', value: 30, max: 30, text: 'Complete' }),
  ],
  'Text to copy': [
    html`<p>${copyableValue('aid_123', 'Copy the key')} ${copyTextButton('Copy its facts', 'Domain Rating 91\nFree')}</p>`,
    html`<dl>${copyableFact('Tagline', 'Drafts your mail in your own voice', { note: '34 of 60' })}</dl>`,
    codeBlock('curl', 'curl -H "Authorization: Bearer aid_…" http://localhost:3000/api/v1/tools'),
    codeTabs('sample', 'Language', [
      { label: 'curl', blocks: codeBlock('In curl', 'curl http://localhost:3000/api/v1/tools') },
      { label: 'Python', blocks: codeBlock('In Python', 'urlopen("http://localhost:3000/api/v1/tools")') },
    ]),
  ],
  Conversation: [
    thread([
      {
        id: '1',
        isCustomer: true,
        who: 'Ida',
        when: time(AT),
        content: 'When is a refund paid?\nI ordered on Monday.',
      },
      { id: '2', isCustomer: false, who: 'Ada', when: time(AT), content: 'Within 14 days.' },
    ]),
  ],
}

// The samples of tabs, tables, pagers and boards.
interface Row {
  name: string
  state: string | null
  calls: number
  broken?: string
}

const ROWS: readonly Row[] = [
  { name: 'Production', state: 'Live', calls: 1200 },
  { name: 'A name that is longer than what a column has room for', state: null, calls: 3 },
  { name: 'Old', state: 'Live', calls: 0, broken: 'plan is not as it must be.' },
]

const rowsTable = (caption: string, rows: readonly Row[], keepsColumns = false) =>
  table({
    caption,
    rows,
    keepsColumns,
    columns: [
      { label: 'Name', rowHeader: true, cell: ({ name }) => name },
      { label: 'State', cell: ({ state }) => (state ? badge(state, 'good') : null) },
      { label: 'Calls', kind: 'number', cell: ({ calls }) => calls },
      {
        label: 'Actions',
        kind: 'actions',
        cell: ({ name }) =>
          linkButton('/styleguide', html`Revoke<span class="visually-hidden"> ${name}</span>`, {
            kind: 'plain',
            slim: true,
          }),
      },
    ],
    empty: emptyState({
      title: 'No keys yet',
      text: 'Make one; it works at once.',
      action: linkButton('/styleguide', 'Make a key'),
    }),
  })

const pageAddress = (page: number): string => `/styleguide?page=${page}`

const listSamples: Samples = {
  Tabs: [
    tabs('Views', [
      { href: '/styleguide', label: 'Open', count: 2, isCurrent: true },
      { href: '/styleguide', label: 'Done', count: 0 },
    ]),
  ],
  'Views of a list': [
    html`<ul class="chips">${viewChip('Open', '/styleguide', { count: 2, isCurrent: true })}${viewChip('Late', '/styleguide', { count: 1 })}${viewChip('Done', '/styleguide', { count: 0 })}</ul>`,
  ],
  'Table, cards on phones': [rowsTable('Keys', ROWS)],
  'Table that keeps its columns': [rowsTable('Keys compared', ROWS, true)],
  'Table without rows': [rowsTable('No keys', [])],
  'Empty state': [emptyState({ title: 'Nothing found', text: 'Try other words.' })],
  Pager: [
    html`${pager({ page: 5, pages: 20, limit: 20, total: 391, href: pageAddress, label: 'Pages in the middle' })}`,
    html`${pager({ page: 1, pages: 3, href: pageAddress, label: 'First of three pages' })}`,
    html`${previousNextLinks(2, true, pageAddress)}`,
  ],
  'Numbered steps': [
    numberedSteps([
      ['Address', 'We read your site.'],
      ['Check', 'You correct what is wrong.'],
    ]),
  ],
  Board: [
    board('Work', [
      {
        title: 'In queue',
        cards: [card('Acme Writer', html`<p>Starter</p>`), card('Standup', html`<p>Pro</p>`)],
      },
      { title: 'In progress', cards: [card('Paper Trail', html`<p>Starter</p>`)] },
      { title: 'Done', cards: [] },
    ]),
  ],
}

// The samples of buttons, fields and forms.
const THIS_PAGE = '/styleguide'
const OPTIONS = [
  { value: 'a', label: 'First' },
  { value: 'b', label: 'Second' },
  { value: 'c', label: 'Not now', disabled: true },
]
const inForm = (content: unknown) =>
  html`<form class="form" method="get" action="${THIS_PAGE}">${hiddenField('sample', 'yes')}${content}</form>`

const formSamples: Samples = {
  Button: [
    inForm(
      html`<div class="row">${button('Save')}${button('Preview', { kind: 'plain' })}${button('Delete', { kind: 'danger' })}</div>
<div class="row">${button('Save', { slim: true })}${button('Preview', { kind: 'plain', slim: true })}${button('Delete', { kind: 'danger', slim: true })}</div>
<div class="row">${button('Save', { disabled: true })}${button('Preview', { kind: 'plain', disabled: true })}${button('Delete', { kind: 'danger', disabled: true })}</div>`,
    ),
    html`<div class="row">${linkButton(THIS_PAGE, html`Visit website${icon('external')}`)}${linkButton(THIS_PAGE, 'Cancel', { kind: 'plain' })}${linkButton(THIS_PAGE, html`Next${keyHint('j')}`, { kind: 'plain' })}</div>`,
    html`<section class="spruce panel"><div class="row">${linkButton(THIS_PAGE, 'Start building')}${linkButton(THIS_PAGE, 'Read more', { kind: 'plain' })}</div></section>`,
  ],
  'Form with one button': [
    html`<div class="row">${actionForm({ action: THIS_PAGE, label: 'Sign out', kind: 'plain', slim: true })}${confirmedAction({ action: THIS_PAGE, label: 'Revoke', question: 'Whatever uses it gets a 401 from now on.', confirmLabel: 'Revoke it', slim: true })}</div>`,
  ],
  Search: [searchForm({ placeholder: 'What should it do?' })],
  'Fields of one line': [
    inForm(
      html`${field({ name: 'plain', label: 'Empty', placeholder: 'A placeholder' })}
${field({ name: 'filled', label: 'Filled', value: 'A value', hint: 'A hint says what belongs here.' })}
${field({ name: 'wrong', label: 'Wrong', value: 'x', error: 'This is what is wrong with it.', hint: 'The hint stays.' })}
${field({ name: 'off', label: 'Disabled', value: 'Nothing to change', disabled: true })}
${field({ name: 'mail', label: 'E-mail', type: 'email', required: true, autocomplete: 'off' })}
${field({ name: 'secret', label: 'Password', type: 'password', autocomplete: 'new-password' })}
${field({ name: 'count', label: 'Number', type: 'number', value: 12, min: 0 })}
${field({ name: 'from', label: 'Day', type: 'date', value: '2026-03-01' })}
<div class="row">${button('Send')}</div>`,
    ),
  ],
  'Longer fields and choices': [
    formContents([
      { title: 'Choices', problems: 1 },
      { title: 'Without problems', problems: 0 },
    ]),
    inForm(
      html`${textarea({ name: 'about', label: 'About', value: 'Two\nlines', rows: 3 })}
${textarea({ name: 'about-wrong', label: 'About, wrong', value: '', rows: 2, error: 'Write a sentence.' })}
${select({ name: 'one', label: 'Choose one', none: 'Any', value: 'b', options: OPTIONS })}
${select({ name: 'one-wrong', label: 'Choose one, wrong', value: 'a', options: OPTIONS, error: 'Choose another.' })}
${fileField({ name: 'file', label: 'Picture', accept: 'image/png', hint: 'PNG, at most 1 MiB.' })}
${fieldGroup('Choices', html`${choice({ name: 'agree', label: 'I agree', hint: 'Read it first.' })}${choice({ name: 'agreed', label: 'Agreed', checked: true })}${choice({ name: 'refused', label: 'Wrong', error: 'Agree to go on.' })}${choice({ name: 'kind', type: 'radio', value: 'a', label: 'One' })}${choice({ name: 'kind', type: 'radio', value: 'b', label: 'Other', checked: true })}`)}
${versionField({ version: 1 })}${saveBar(button('Save'), linkButton(THIS_PAGE, 'Cancel', { kind: 'plain' }))}`,
    ),
  ],
  'Stored values beside typed ones': [
    storedValuesSection([
      ['Name', 'Acme', 'Acme Writer'],
      ['Tagline', 'Writes mails', ''],
    ]),
  ],
}

/** The samples of components that look listings up in the catalog. */
const listingSamples = (served: ServedRequest): Samples => ({
  'Name of a listing': [
    html`<p>${namedListing(served, 'tools', { slug: 'acme', name: 'Acme Writer', icon: null }, THIS_PAGE)}</p>`,
    html`<p>${namedListing(served, 'tools', { slug: 'acme', name: 'Acme Writer', icon: null }, THIS_PAGE, 'Acme Corp')}</p>`,
    html`<p class="named">${listingTile(served, 'directories', { slug: 'not-listed', name: 'Not listed' })}Not listed</p>`,
  ],
})

export const STYLEGUIDE = '/styleguide'

/** By the name of a component: what it looks like in each of its states. */
type Samples = Readonly<Record<string, readonly Markup[]>>

const GROUPS: Readonly<Record<string, Samples>> = { Texts: textSamples, Forms: formSamples, Lists: listSamples }

/** '': the colour scheme that the browser prefers. */
const SCHEMES = { '': 'As the browser', light: 'Light', dark: 'Dark' } as const

const isScheme = (text: string): text is keyof typeof SCHEMES => Object.hasOwn(SCHEMES, text)

/** `scheme`: light or dark, from the address, so that both can be compared in two windows; any other text: as the browser prefers. */
function styleguidePage(scheme: string, served: ServedRequest): Page {
  const chosen = isScheme(scheme) ? scheme : ''
  return {
    title: 'Styleguide',
    description: 'Every component of pages in every state.',
    path: STYLEGUIDE,
    flash: [
      { kind: 'info', text: 'A message for information.' },
      { kind: 'good', text: 'A message after something was done.' },
      { kind: 'notice', text: 'A message about something to look at.' },
      { kind: 'danger', text: 'A message that something failed. It stays.', isPermanent: true },
    ],
    body: html`<div class="${chosen ? `flow scheme-${chosen}` : 'flow'}">
${breadcrumbs([{ label: 'Home', href: '/' }, { label: 'Styleguide' }])}
<h1>Styleguide</h1>
<p class="lead">Every component of pages in every state.</p>
${tabs(
  'Colour scheme',
  Object.entries(SCHEMES).map(([name, label]) => ({
    href: name ? `${STYLEGUIDE}?scheme=${name}` : STYLEGUIDE,
    label,
    isCurrent: name === chosen,
  })),
)}
${Object.entries({ ...GROUPS, Listings: listingSamples(served) }).map(([group, samples]) => html`<section class="flow"><h2>${group}</h2>${Object.entries(samples).map(([name, states]) => html`<section class="sample flow" aria-label="${name}"><p class="label">${name}</p>${states}</section>`)}</section>`)}
</div>`,
  }
}
