// Changes of listings that partners, owners, looks at directories and the language model propose: the list, and the buttons that accept and refuse one or many.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { decideProposal, listProposalRows } from '../../../features/proposals/operations.ts'
import {
  type AUTHOR_KINDS,
  DECISIONS,
  type Decision,
  type PROPOSAL_STATES,
} from '../../../features/proposals/schema.ts'
import { Failure } from '../../../kernel/errors.ts'
import { button } from '../kit/button.ts'
import { badge, type Tone } from '../kit/components.ts'
import { difference } from '../kit/difference.ts'
import { hiddenField } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { isCorrectable } from '../kit/private-pages.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { fieldLabel, time, valueLabel } from '../kit/values.ts'
import { ADMIN } from './frame.ts'
import { declareList } from './list-pages.ts'
import type { ConsolePages, Visit } from './visit.ts'

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

const AUTHORS: Record<(typeof AUTHOR_KINDS)[number], string> = {
  partner: 'Partners',
  owner: 'Owners',
  look: 'Pages of directories',
  model: 'Language model',
}
const DECISION_WORDS: Record<Decision, string> = { accept: 'Accept', refuse: 'Refuse' }

/** The form stands before the table. The checkboxes and buttons of the rows belong to it, so that one form decides about one or many. */
const FORM = 'decisions'
/** The name of a checkbox is this and the id of the proposal; its value is the version that the page shows. */
const PICK = 'pick-'
/** The button of a row sends its decision, the id and the version. */
const ONE = 'one'

const list = declareList({
  path: PATH,
  operation: listProposalRows,
  title: 'Proposals',
  lead: 'Changes of listings that partners and owners ask for or that pages of directories or the language model suggest, and those that owners made without asking.',
  filters: {
    state: { tabs: 'Proposals by state', words: WORDS },
    author: { label: 'Asked by', words: AUTHORS, none: 'All' },
  },
  // Also without rows: the filters bring others to the page without loading it anew.
  above: ({ visit, filters, page }) =>
    ['', 'waiting'].includes(filters.state) && decisionForm(visit, { ...filters, page }),
  columns: [
    { label: html`<span class="visually-hidden">Choose</span>`, cell: pickBox },
    {
      label: 'Listing and change',
      rowHeader: true,
      cell: (row) =>
        html`${listingLink(row)} <span class="quiet">${fieldLabel(row.field)}</span>${values(row)}${row.quote && html`<p class="small note">They say: <q><bdi>${row.quote}</bdi></q></p>`}`,
    },
    {
      label: 'Asked by',
      cell: ({ author }) => html`${author.kind === 'model' && 'Language model '}<bdi>${author.name}</bdi>`,
    },
    { label: 'State', cell: (row) => badge(WORDS[row.state], TONES[row.state]) },
    { label: 'Asked', cell: ({ createdAt }) => time(createdAt) },
    { label: 'Actions', kind: 'actions', cell: actionsOf },
  ],
  empty: ({ filters: { state } }) =>
    state
      ? { title: 'None in this state' }
      : {
          title: 'Nothing was proposed yet',
          text: 'Partners propose changes with PATCH /ai-tools, owners in their dashboard, and the language model if SEARCH_WORDS_PER_DAY is set.',
        },
})

function isWaiting({ state }: Proposal): boolean {
  return state === 'waiting'
}

const decisionForm = (
  { token }: Visit,
  { state, author, page }: { state: string; author: string; page: number },
): Markup =>
  html`<form class="row" id="${FORM}" method="post" action="${PATH}">
${token}${hiddenField('state', state)}${hiddenField('author', author)}${hiddenField('page', page > 1 ? String(page) : '')}
${DECISIONS.map((decision) => button(`${DECISION_WORDS[decision]}: chosen`, { name: 'decision', value: decision, kind: 'plain' }))}
</form>`

function pickBox(row: Proposal): Markup | null {
  return isWaiting(row)
    ? html`<input type="checkbox" form="${FORM}" name="${PICK}${row.id}" value="${row.version}" aria-label="Choose ${row.field} of ${nameOf(row)}">`
    : null
}

function actionsOf(row: Proposal): Markup | null {
  if (!isWaiting(row)) return null
  return html`<div class="row">${DECISIONS.map(
    (decision) =>
      html`<button type="submit" class="button plain slim" form="${FORM}" name="${ONE}" value="${decision} ${row.id} ${row.version}">${DECISION_WORDS[decision]}<span class="visually-hidden"> ${row.field} of ${nameOf(row)}</span></button>`,
  )}</div>`
}

// The message is kept in a cookie, which must stay small.
const MOST_NAMED = 3
// More than a page of the list has.
const MOST_CHOSEN = 100

/** Decides about the proposal whose button was pressed, or about all that are chosen. */
async function decide(visit: Visit): Promise<FastifyReply> {
  const { form } = visit
  const back = addressWith(PATH, { state: form.state ?? '', author: form.author ?? '', page: form.page ?? '' })
  const [own, id, version] = (form[ONE] ?? '').split(' ')
  const chosen: (readonly [id: string, version: string | undefined])[] = id
    ? [[id, version]]
    : Object.entries(form).flatMap(([name, value]) => (name.startsWith(PICK) ? [[name.slice(PICK.length), value]] : []))
  if (chosen.length === 0) return visit.redirect(back, { kind: 'notice', text: 'Choose at least one proposal.' })
  const decision = id ? own : form.decision
  const [decided, refused]: [string[], string[]] = [[], []]
  for (const [id, version] of chosen.slice(0, MOST_CHOSEN))
    try {
      const row = await visit.perform(decideProposal, { id, ifVersion: version }, { decision })
      decided.push(`${fieldLabel(row.field)} of ${nameOf(row)}: ${WORDS[row.state].toLowerCase()}.`)
    } catch (error) {
      // Its author may have replaced or withdrawn one meanwhile.
      if (!(isCorrectable(error) || (error instanceof Failure && error.status === 404))) throw error
      refused.push(error.message.slice(0, 200))
    }
  const count = `${decided.length} of ${chosen.length} decided.`
  if (refused.length > 0)
    return visit.redirect(back, {
      kind: 'danger',
      text: [...(id ? [] : [count]), ...refused.slice(0, MOST_NAMED)].join(' '),
    })
  return visit.redirect(back, { kind: 'good', text: id ? decided.join() : count })
}

export const proposalPages: ConsolePages = { [PATH]: { GET: list, POST: decide } }

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
