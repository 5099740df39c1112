// /styleguide: every component in every state, for people who work on pages. It exists only with STYLEGUIDE=on, as `npm run dev` sets it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PLANS } from '../../../features/accounts/schema.ts'
import type { Service } from '../../http/service.ts'
import { actionForm, button, confirmedAction, keyHint, linkButton, saveBar } from '../kit/button.ts'
import * as components from '../kit/components.ts'
import * as inputs from '../kit/forms/field.ts'
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
import * as values from '../kit/values.ts'

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
const TONES: readonly components.Tone[] = ['plain', 'accent', 'info', 'good', 'notice', 'danger', 'marker']
const BARS = Array.from({ length: 30 }, (_, i) => ({ label: `${i + 1}.`, value: (i * 37) % 90 }))

const textSamples: Samples = {
  'Type and colours of text': [
    html`<p class="lead">The lead under the heading of a page.</p>`,
    html`<p>A paragraph with a <a href="/styleguide">link</a>, <strong>strong words</strong>, <code>code</code> and <mark>marked words</mark>, and a host that breaks at its dots: ${values.brokenAtDots('catalog.example.com')}.</p>`,
    html`<p class="quiet">Quiet text.</p><p class="small">Small text.</p><p class="note">A note.</p>`,
  ],
  Badge: [
    html`<p class="row">${TONES.map((tone) => components.badge(tone, tone))}</p>`,
    html`<p class="row">${PLANS.map(components.planBadge)}</p>`,
    html`<p>A row ${components.brokenRowBadge({ broken: 'faqs.0.answer is missing.' })}</p>`,
  ],
  'Times and numbers': [
    html`<p>${values.time(AT)} · ${values.exactTime(AT)} · ${values.day(AT)} · ${values.ago(AT)} · ${values.plainDay('2026-03-01')} · ${values.date(AT)} · ${values.number(1234.5)} · ${values.compactNumber(254_000)}</p>`,
    html`<p>${values.difference('It writes mails.', 'It writes mails and letters.')}</p>`,
  ],
  Tile: [
    html`<p class="row">${['Ada', 'Boole', 'Curie', 'Dirac', 'Euler', 'Fermi', 'Gauss', 'Hopper'].map((name) => components.tile(name, null))}${components.tile('Noether', null, { big: true })}</p>${components.plate('Noether', null)}`,
  ],
  Icon: [
    html`<p class="row">${ICON_NAMES.map((name) => icon(name))}</p>`,
    html`<p class="row">${icon('search', 'small')}${icon('search')}${icon('search', 'large')}</p>`,
  ],
  Card: [
    html`<div class="grid">${components.card('A card', html`<p>With a text.</p>`)}${components.card('An accented card', html`<p class="price">9</p>`, { accent: true })}</div>`,
  ],
  'Head of a section': [
    components.sectionHead('Most opened', { href: '/tools', label: 'All tools' }),
    components.sectionHead(components.countedTitle('Tools', 12)),
    html`<h2>Reviews${listCount({ rows: Array(50).fill(null), page: 1, hasMore: true })}</h2>`,
  ],
  Figures: [
    components.summaryFigures([
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
    components.progress({ label: 'None', value: 0, max: 30 }),
    components.progress({ label: 'Some', value: 12, max: 30 }),
    components.progress({ label: 'All', value: 30, max: 30, text: 'Complete' }),
  ],
  'Text to copy': [
    html`<p>${components.copyableValue('aid_123', 'Copy the key')} ${components.copyTextButton('Copy its facts', 'Domain Rating 91\nFree')}</p>`,
    html`<dl>${components.copyableFact('Tagline', 'Drafts your mail in your own voice', { note: '34 of 60' })}</dl>`,
    components.codeBlock('curl', 'curl -H "Authorization: Bearer aid_…" http://localhost:3000/api/v1/tools'),
    components.codeTabs('sample', 'Language', [
      { label: 'curl', blocks: components.codeBlock('In curl', 'curl http://localhost:3000/api/v1/tools') },
      { label: 'Python', blocks: components.codeBlock('In Python', 'urlopen("http://localhost:3000/api/v1/tools")') },
    ]),
  ],
  Conversation: [
    components.thread([
      {
        id: '1',
        isCustomer: true,
        who: 'Ida',
        when: values.time(AT),
        content: 'When is a refund paid?\nI ordered on Monday.',
      },
      { id: '2', isCustomer: false, who: 'Ada', when: values.time(AT), content: 'Within 14 days.' },
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
      { label: 'State', cell: ({ state }) => (state ? components.badge(state, 'good') : null) },
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
    empty: components.emptyState({
      title: 'No keys yet',
      text: 'Make one; it works at once.',
      action: linkButton('/styleguide', 'Make a key'),
    }),
  })

const pageAddress = (page: number): string => `/styleguide?page=${page}`

const listSamples: Samples = {
  Tabs: [
    components.tabs('Views', [
      { href: '/styleguide', label: 'Open', count: 2, isCurrent: true },
      { href: '/styleguide', label: 'Done', count: 0 },
    ]),
  ],
  'Views of a list': [
    html`<ul class="chips">${components.viewChip('Open', '/styleguide', { count: 2, isCurrent: true })}${components.viewChip('Late', '/styleguide', { count: 1 })}${components.viewChip('Done', '/styleguide', { count: 0 })}</ul>`,
  ],
  'Table, cards on phones': [rowsTable('Keys', ROWS)],
  'Table that keeps its columns': [rowsTable('Keys compared', ROWS, true)],
  'Table without rows': [rowsTable('No keys', [])],
  'Empty state': [components.emptyState({ title: 'Nothing found', text: 'Try other words.' })],
  Pager: [
    html`${pager({ page: 5, pages: 20, limit: 20, total: 391, href: pageAddress, label: 'Pages in the middle' })}`,
    html`${pager({ page: 1, pages: 3, href: pageAddress, label: 'First of three pages' })}`,
    html`${previousNextLinks(2, true, pageAddress)}`,
  ],
  'Numbered steps': [
    components.numberedSteps([
      ['Address', 'We read your site.'],
      ['Check', 'You correct what is wrong.'],
    ]),
  ],
  Board: [
    components.board('Work', [
      {
        title: 'In queue',
        cards: [components.card('Acme Writer', html`<p>Starter</p>`), components.card('Standup', html`<p>Pro</p>`)],
      },
      { title: 'In progress', cards: [components.card('Paper Trail', html`<p>Starter</p>`)] },
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
  html`<form class="form" method="get" action="${THIS_PAGE}">${inputs.hiddenField('sample', 'yes')}${content}</form>`

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
      html`${inputs.field({ name: 'plain', label: 'Empty', placeholder: 'A placeholder' })}
${inputs.field({ name: 'filled', label: 'Filled', value: 'A value', hint: 'A hint says what belongs here.' })}
${inputs.field({ name: 'wrong', label: 'Wrong', value: 'x', error: 'This is what is wrong with it.', hint: 'The hint stays.' })}
${inputs.field({ name: 'off', label: 'Disabled', value: 'Nothing to change', disabled: true })}
${inputs.field({ name: 'mail', label: 'E-mail', type: 'email', required: true, autocomplete: 'off' })}
${inputs.field({ name: 'secret', label: 'Password', type: 'password', autocomplete: 'new-password' })}
${inputs.field({ name: 'count', label: 'Number', type: 'number', value: 12, min: 0 })}
${inputs.field({ name: 'from', label: 'Day', type: 'date', value: '2026-03-01' })}
<div class="row">${button('Send')}</div>`,
    ),
  ],
  'Longer fields and choices': [
    inputs.formContents([
      { title: 'Choices', problems: 1 },
      { title: 'Without problems', problems: 0 },
    ]),
    inForm(
      html`${inputs.textarea({ name: 'about', label: 'About', value: 'Two\nlines', rows: 3 })}
${inputs.textarea({ name: 'about-wrong', label: 'About, wrong', value: '', rows: 2, error: 'Write a sentence.' })}
${inputs.select({ name: 'one', label: 'Choose one', none: 'Any', value: 'b', options: OPTIONS })}
${inputs.select({ name: 'one-wrong', label: 'Choose one, wrong', value: 'a', options: OPTIONS, error: 'Choose another.' })}
${inputs.fileField({ name: 'file', label: 'Picture', accept: 'image/png', hint: 'PNG, at most 1 MiB.' })}
${inputs.fieldGroup('Choices', html`${inputs.choice({ name: 'agree', label: 'I agree', hint: 'Read it first.' })}${inputs.choice({ name: 'agreed', label: 'Agreed', checked: true })}${inputs.choice({ name: 'refused', label: 'Wrong', error: 'Agree to go on.' })}${inputs.choice({ name: 'kind', type: 'radio', value: 'a', label: 'One' })}${inputs.choice({ name: 'kind', type: 'radio', value: 'b', label: 'Other', checked: true })}`)}
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
${components.breadcrumbs([{ label: 'Home', href: '/' }, { label: 'Styleguide' }])}
<h1>Styleguide</h1>
<p class="lead">Every component of pages in every state.</p>
${components.tabs(
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
