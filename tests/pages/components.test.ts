// @module-tag once
// All components of pages together on one page.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actionForm, button, confirmedAction, linkButton } from '../../src/surfaces/pages/kit/button.ts'
import {
  badge,
  board,
  breadcrumbs,
  card,
  codeBlock,
  copyableValue,
  emptyState,
  progress,
  sectionHead,
  summaryFigures,
  tabs,
  tile,
} from '../../src/surfaces/pages/kit/components.ts'
import {
  choice,
  field,
  fieldGroup,
  fileField,
  hiddenField,
  select,
  textarea,
} from '../../src/surfaces/pages/kit/forms/field.ts'
import { barChart, meter } from '../../src/surfaces/pages/kit/lists/chart.ts'
import { pager, shownPages } from '../../src/surfaces/pages/kit/lists/paged-lists.ts'
import { table } from '../../src/surfaces/pages/kit/lists/table.ts'
import { html } from '../../src/surfaces/pages/kit/markup.ts'
import { type Page, renderPage } from '../../src/surfaces/pages/kit/sending/document.ts'
import { time } from '../../src/surfaces/pages/kit/values.ts'
import { expectSound } from '../harness/html.ts'

const EVIL = '"><script>alert(1)</script>'

const form = html`<form class="form" method="post" action="/nowhere">
${hiddenField('token', EVIL)}
${field({ name: 'email', label: 'E-mail', type: 'email', value: EVIL, required: true, autocomplete: 'email', hint: 'We send a code to it.' })}
${field({ name: 'name', label: 'Name', error: 'Name is required.', hint: 'As others see it.' })}
${select({
  name: 'plan',
  label: 'Plan',
  none: 'Any',
  value: 'premium',
  options: [
    { value: 'standard', label: 'Standard' },
    { value: 'premium', label: 'Premium' },
  ],
})}
${textarea({ name: 'about', label: 'About', value: `\n${EVIL}`, rows: 5 })}
${fileField({ name: 'icon', label: 'Logo', accept: 'image/png', hint: 'PNG, at most 1 MiB.' })}
${fieldGroup('Agreement', html`${choice({ name: 'agree', label: 'I agree to the policy', required: true, error: 'Agree to go on.' })}${choice({ name: 'kind', type: 'radio', value: 'a', label: 'One' })}${choice({ name: 'kind', type: 'radio', value: 'b', label: 'Other', checked: true })}`)}
<div class="row">${button('Save')}${button('Draft', { kind: 'plain', name: 'draft', value: '1' })}${linkButton('/', 'Cancel', { kind: 'plain', slim: true })}</div>
</form>`

const rows = [
  { name: EVIL, calls: 1200, state: 'live' },
  { name: 'Second', calls: 3, state: null },
]

const page: Page = {
  title: 'Pieces',
  description: 'Every piece once.',
  path: '/dashboard/keys',
  nav: {
    user: { name: 'Ada', isAdministrator: true },
    label: 'Dashboard',
    sections: [
      { href: '/dashboard', label: 'Overview' },
      { href: '/dashboard/keys', label: 'Keys', count: 3 },
    ],
    end: actionForm({ action: '/sign-out', label: 'Sign out', kind: 'plain', slim: true, values: { token: 'x' } }),
  },
  flash: [
    { kind: 'good', text: 'Saved.' },
    { kind: 'danger', text: EVIL, isPermanent: true },
    { kind: 'notice', text: 'Nearly used up.' },
  ],
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Dashboard', href: '/dashboard' }, { label: EVIL }])}
<h1>Pieces</h1>
${tabs('Views', [
  { href: '/a', label: 'Open', count: 2, isCurrent: true },
  { href: '/b', label: 'Done', count: 0 },
])}
${summaryFigures([
  ['Calls today', '1,204'],
  ['Keys', 3],
  ['Plan', 'Premium'],
])}
${form}
${sectionHead('Keys', { href: '/more', label: 'All keys' })}
${table({
  caption: 'Keys',
  rows,
  columns: [
    { label: 'Name', cell: ({ name }) => name, rowHeader: true },
    { label: 'State', cell: ({ state }) => (state ? badge(state, 'good') : null) },
    { label: 'Calls', cell: ({ calls }) => calls, kind: 'number' },
    {
      label: 'Actions',
      kind: 'actions',
      cell: ({ name }) =>
        confirmedAction({
          action: '/revoke',
          label: 'Revoke',
          slim: true,
          question: `Revoke ${name}?`,
          confirmLabel: 'Yes, revoke',
          values: { id: name },
        }),
    },
  ],
})}
${table({ caption: 'None', rows: [], columns: [], empty: emptyState({ title: 'No keys yet', text: 'Make one.', action: linkButton('/new', 'New key') }) })}
<p class="row">${(['plain', 'accent', 'good', 'notice', 'danger'] as const).map((tone) => badge(tone, tone))} ${meter(71)} ${tile('Ada', null)} ${tile(EVIL, 'https://x.example/i.png', { big: true })}</p>
<p>${copyableValue('aid_123', 'Copy key')}</p>
${codeBlock('curl', `curl -H "Authorization: Bearer aid_…" ${EVIL}`)}
${progress({ label: 'Directories', value: 12, max: 30 })}
${barChart({ title: 'Calls a day', bars: Array.from({ length: 14 }, (_, i) => ({ label: `${i + 1}.`, value: (i * 37) % 90 })) })}
<div class="grid">${card('Standard', html`<p class="price">0</p>`)}${card('Premium', html`<p class="price">9</p>`, { accent: true })}</div>
${pager({ page: 5, pages: 20, href: (at) => `/x?page=${at}&q=a` })}
${board('Work', [
  { title: 'In queue', cards: [card('Acme', html`<p>Starter</p>`)] },
  { title: 'Done', cards: [] },
])}
</div>`,
}

test('every component escapes its values and is valid on a page', async () => {
  const text = renderPage(page).toString()
  if (process.env.SHOW_PIECES) writeFileSync(process.env.SHOW_PIECES, text)
  await expectSound(text)
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('<a href="/dashboard/keys" aria-current="page">Keys')
  expect(text).toContain('<a href="/admin">')
  expect(text).not.toContain('/sign-in')
})

test('hints and errors of a field refer to its input', () => {
  const text = String(field({ name: 'name', label: 'Name', hint: 'h', error: 'e' }))
  expect(text).toContain('<label for="field-name">')
  expect(text).toContain('aria-describedby="field-name-hint field-name-error"')
  expect(text).toContain('aria-invalid="true"')
})

test('a time names its zone', () => {
  expect(String(time('2026-03-01T09:30:59.123Z'))).toContain('>2026-03-01 09:30 UTC</time>')
})

test('a pager shows the first, the last and the neighbouring pages', () => {
  expect(shownPages(1, 1)).toEqual([1])
  expect(shownPages(1, 3)).toEqual([1, 2, 3])
  expect(shownPages(5, 20)).toEqual([1, null, 4, 5, 6, null, 20])
  expect(shownPages(4, 6)).toEqual([1, 2, 3, 4, 5, 6])
  expect(shownPages(99, 3)).toEqual([1, 2, 3])
  expect(pager({ page: 1, pages: 1, href: String })).toBeNull()
  expect(String(pager({ page: 99, pages: 3, href: (at) => `?page=${at}` }))).toContain('href="?page=3" rel="prev"')
})
