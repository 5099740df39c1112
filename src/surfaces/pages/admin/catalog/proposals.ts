// The list of proposed changes of listings, with buttons that accept or refuse one or many. Changes are proposed by partners, by
// owners, by looks at the pages of directories, and by the language model.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { decideProposal, listProposalRows } from '../../../../features/proposals/operations.ts'
import {
  type AUTHOR_KINDS,
  DECISIONS,
  type Decision,
  type PROPOSAL_STATES,
} from '../../../../features/proposals/schema.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { button } from '../../kit/button.ts'
import { badge, type Tone } from '../../kit/components.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { ago, difference, fieldLabel, valueLabel } from '../../kit/values.ts'
import { bulkForm, chosenIn, MOST_NAMED_REFUSALS, pickBox, rowButton } from '../kit/bulk.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'

export type Proposal = Static<typeof listProposalRows.data>[number]

export const PROPOSALS = `${ADMIN}/proposals`
const WORDS: Record<(typeof PROPOSAL_STATES)[number], string> = {
  waiting: 'Waiting',
  accepted: 'Accepted',
  refused: 'Refused',
  applied: 'Changed at once',
  undone: 'Taken back',
}
const TONES: Record<(typeof PROPOSAL_STATES)[number], Tone> = {
  waiting: 'notice',
  accepted: 'good',
  refused: 'plain',
  applied: 'plain',
  undone: 'plain',
}

const AUTHORS: Record<(typeof AUTHOR_KINDS)[number], string> = {
  partner: 'Partners',
  owner: 'Owners',
  look: 'Pages of directories',
  model: 'Language model',
}
const DECISION_WORDS: Record<Decision, string> = { accept: 'Accept', refuse: 'Refuse' }

const list = declareList({
  path: PROPOSALS,
  operation: listProposalRows,
  title: 'Proposals',
  lead: 'Changes of listings that partners and owners ask for or that pages of directories or the language model suggest, and those that owners made without asking.',
  filters: {
    state: { tabs: 'Proposals by state', words: WORDS },
    author: { label: 'Asked by', words: AUTHORS, none: 'All' },
  },
  bulk: ({ visit, filters, page }, rows) =>
    rows.some(isWaiting) &&
    bulkForm(visit, {
      action: PROPOSALS,
      values: { ...filters, page: page > 1 ? String(page) : '' },
      fields: DECISIONS.map((decision) =>
        button(`${DECISION_WORDS[decision]} the chosen`, {
          name: 'decision',
          value: decision,
          kind: 'plain',
          slim: true,
        }),
      ),
    }),
  columns: ({ visit, filters }) => [
    {
      label: html`<span class="visually-hidden">Choose</span>`,
      cell: (row) => isWaiting(row) && pickBox(row.id, row.version, whatOf(row)),
    },
    {
      label: 'Listing',
      rowHeader: true,
      cell: (row) =>
        html`${proposedListing(visit, row)} <span class="note">${fieldLabel(row.field)}${!filters.state && html` ${badge(WORDS[row.state], TONES[row.state])}`}</span>`,
    },
    {
      label: 'Change',
      className: 'broad',
      onPhones: 'unlabelled',
      cell: (row) =>
        html`${changeOf(row)}${row.quote && html`<p class="small note">They say: <q><bdi>${row.quote}</bdi></q></p>`}`,
    },
    {
      label: 'Asked by',
      onPhones: 'unlabelled',
      cell: ({ author, createdAt }) =>
        html`${author.kind === 'look' ? 'Pages of the directory' : html`${author.kind === 'model' && 'Language model '}<bdi>${author.name}</bdi>`} <span class="note">${ago(createdAt)}</span>`,
    },
    { label: 'Actions', kind: 'actions', cell: actionsOf },
  ],
  empty: ({ filters: { state } }) =>
    state
      ? { title: state === 'waiting' ? 'Nothing waits for a decision' : 'None in this state' }
      : {
          title: 'Nothing was proposed yet',
          text: 'Partners propose changes with PATCH /ai-tools, owners in their dashboard, and the language model if SEARCH_WORDS_PER_DAY is set.',
        },
})

function isWaiting({ state }: Proposal): boolean {
  return state === 'waiting'
}

function actionsOf(row: Proposal): Markup | null {
  if (!isWaiting(row)) return null
  const { id: key, version: value } = row
  return html`<div class="row tight">${DECISIONS.map((decision) => rowButton(decision, { key, value, name: whatOf(row) }, DECISION_WORDS[decision]))}</div>`
}

// A page of the list has fewer rows; a form that is sent by a program may have more.
const MOST_CHOSEN = 100

/** Decides about the proposal whose button was pressed, or about all that are chosen. */
async function decide(visit: Visit): Promise<FastifyReply> {
  const { form } = visit
  const back = addressWith(PROPOSALS, { state: form.state ?? '', author: form.author ?? '', page: form.page ?? '' })
  const { does, rows: chosen } = chosenIn(form)
  if (chosen.length === 0) return visit.redirect(back, { kind: 'notice', text: 'Choose at least one proposal.' })
  const decision = does ?? form.decision
  const [decided, refused]: [string[], string[]] = [[], []]
  for (const { key: id, value: ifVersion } of chosen.slice(0, MOST_CHOSEN))
    try {
      const row = await visit.perform(decideProposal, { id, ifVersion }, { decision })
      decided.push(`${whatOf(row)}: ${WORDS[row.state].toLowerCase()}.`)
    } catch (error) {
      // 404: its author may have replaced or withdrawn the proposal in the meantime.
      if (!(isCorrectable(error) || (error instanceof Failure && error.status === 404))) throw error
      refused.push(error.message.slice(0, 200))
    }
  const count = `${decided.length} of ${chosen.length} decided.`
  if (refused.length > 0)
    return visit.redirect(back, {
      kind: 'danger',
      text: [...(does ? [] : [count]), ...refused.slice(0, MOST_NAMED_REFUSALS)].join(' '),
    })
  return visit.redirect(back, { kind: 'good', text: does ? decided.join() : count })
}

export const proposalPages: VisitPages = { [PROPOSALS]: { GET: list, POST: decide } }

/** The proposal in words, such as "Tagline of Acme Writer". */
function whatOf({ field, tool, directory }: Proposal): string {
  return `${fieldLabel(field)} of ${(tool ?? directory)?.name ?? ''}`
}

/** The listing with a link to `href`, by default to its form. */
export const proposedListing = (visit: Visit, { tool, directory }: Proposal, href?: string): Markup | null => {
  if (tool) return namedListing(visit, 'tools', tool, href)
  return directory && namedListing(visit, 'directories', directory, href)
}

/** What the proposal changes. While it waits, it is compared with the listing's present value, afterwards with the value at that time. */
const changeOf = ({ state, field, old, current, new: proposed }: Proposal): Markup => {
  const inWords = (value: unknown) => {
    if (typeof value === 'boolean') return value ? 'Yes' : 'No'
    return field === 'pricing' && typeof value === 'string' ? valueLabel(value) : value
  }
  return html`<p class="small">${difference(inWords(state === 'waiting' ? current : old), inWords(proposed))}</p>`
}
