// Tabs, tables, pagers and boards in all their states, for the styleguide.
import { linkButton } from '../kit/button.ts'
import { badge, board, card, emptyState, numberedSteps, tabs } from '../kit/components.ts'
import { html } from '../kit/markup.ts'
import { previousNextLinks } from '../kit/paged-lists.ts'
import { pager } from '../kit/pager.ts'
import { table } from '../kit/table.ts'
import type { Samples } from './page.ts'

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

export const listSamples: Samples = {
  Tabs: [
    tabs('Views', [
      { href: '/styleguide', label: 'Open', count: 2, isCurrent: true },
      { href: '/styleguide', label: 'Done', count: 0 },
    ]),
  ],
  'Table, cards on phones': [rowsTable('Keys', ROWS)],
  'Table that keeps its columns': [rowsTable('Keys compared', ROWS, true)],
  'Table without rows': [rowsTable('No keys', [])],
  'Empty state': [emptyState({ title: 'Nothing found', text: 'Try other words.' })],
  Pager: [
    html`${pager({ page: 5, pages: 20, href: pageAddress, label: 'Pages in the middle' })}`,
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
      { title: 'In queue', cards: [card('Acme Writer', html`<p>Starter</p>`), card('Standup', html`<p>Pro</p>`)] },
      { title: 'In progress', cards: [card('Paper Trail', html`<p>Starter</p>`)] },
      { title: 'Done', cards: [] },
    ]),
  ],
}
