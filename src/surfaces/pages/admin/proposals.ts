// Changes of listings that partners, owners and looks at directories propose: the list, and the buttons that accept and refuse one.
import type { Static } from 'typebox'
import { decideProposal, listProposalRows } from '../../../features/proposals/operations.ts'
import { DECISIONS, type PROPOSAL_STATES } from '../../../features/proposals/schema.ts'
import { actionForm } from '../kit/button.ts'
import { badge, type Tone } from '../kit/components.ts'
import { difference } from '../kit/difference.ts'
import { html, type Markup } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { fieldLabel, time, valueLabel } from '../kit/values.ts'
import { action } from './actions.ts'
import { ADMIN } from './frame.ts'
import { declareList } from './list-pages.ts'
import { versionValue } from './version-field.ts'
import type { ConsolePages } from './visit.ts'

type Proposal = Static<typeof listProposalRows.data>[number]

const PATH = `${ADMIN}/proposals`
const WORDS: Record<(typeof PROPOSAL_STATES)[number], string> = {
  waiting: 'Waiting',
  accepted: 'Accepted',
  refused: 'Refused',
  applied: 'Changed at once',
  undone: 'Taken back',
}
const TONES: Record<(typeof PROPOSAL_STATES)[number], Tone> = {
  waiting: 'accent',
  accepted: 'good',
  refused: 'notice',
  applied: 'plain',
  undone: 'plain',
}

export const proposalPages: ConsolePages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listProposalRows,
      title: 'Proposals',
      lead: 'Changes of listings that partners and owners ask for or that pages of directories suggest, and those that owners made without asking.',
      filters: { state: { tabs: 'Proposals by state', words: WORDS } },
      columns: ({ visit, filters: { state }, page }) => [
        {
          label: 'Listing and change',
          rowHeader: true,
          cell: (row) =>
            html`${listingLink(row)} <span class="quiet">${fieldLabel(row.field)}</span>${values(row)}${row.quote && html`<p class="small note">They say: <q><bdi>${row.quote}</bdi></q></p>`}`,
        },
        { label: 'Asked by', cell: ({ author }) => html`<bdi>${author.name}</bdi>` },
        { label: 'State', cell: (row) => badge(WORDS[row.state], TONES[row.state]) },
        { label: 'Asked', cell: ({ createdAt }) => time(createdAt) },
        {
          label: 'Actions',
          kind: 'actions',
          cell: (row) =>
            row.state !== 'waiting'
              ? null
              : html`<div class="row">${DECISIONS.map((decision) =>
                  actionForm({
                    action: addressWith(`${PATH}/${row.id}`, { state, page: page > 1 ? String(page) : '' }),
                    label: html`${decision === 'accept' ? 'Accept' : 'Refuse'}<span class="visually-hidden"> ${row.field} of ${nameOf(row)}</span>`,
                    kind: 'plain',
                    slim: true,
                    values: { ...visit.values, ...versionValue(row), decision },
                  }),
                )}</div>`,
        },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None in this state' }
          : {
              title: 'Nothing was proposed yet',
              text: 'Partners propose changes with PATCH /ai-tools, and owners in their dashboard.',
            },
    }),
  },
  [`${PATH}/:id`]: {
    POST: action({
      operation: decideProposal,
      body: ({ form }) => ({ decision: form.decision, reason: form.reason }),
      back: ({ query }) => addressWith(PATH, query(['state', 'page'])),
      text: (_visit, row) => `${fieldLabel(row.field)} of ${nameOf(row)}: ${WORDS[row.state].toLowerCase()}.`,
    }),
  },
}

const nameOf = ({ tool, directory }: Proposal): string => (tool ?? directory)?.name ?? ''

const listingLink = ({ tool, directory }: Proposal): Markup | null => {
  if (tool) return html`<a href="${ADMIN}/tools/${tool.slug}"><bdi>${tool.name}</bdi></a>`
  return directory && html`<a href="${ADMIN}/directories/${directory.slug}"><bdi>${directory.name}</bdi></a>`
}

/** What the proposal changes; of one that waits, in the value that the listing has now. */
const values = ({ state, field, old, current, new: proposed }: Proposal): Markup => {
  const inWords = (value: unknown) => (field === 'pricing' && typeof value === 'string' ? valueLabel(value) : value)
  return html`<p class="small">${difference(inWords(state === 'waiting' ? current : old), inWords(proposed))}</p>`
}
