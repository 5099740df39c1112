// The search of the console: finds its pages and commands, submissions, listings, partners and users by name. ⌘K or Ctrl+K leads here.
import { listPartners } from '../../../features/partners/operations.ts'
import { listSubmissions } from '../../../features/submissions/queue/queue.operations.ts'
import { listUsers } from '../../../features/users/operations.ts'
import { emptyState, tile } from '../kit/components.ts'
import { field } from '../kit/forms/field.ts'
import { icon } from '../kit/icon.ts'
import { addressWith } from '../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { listingTile } from '../kit/named-listing.ts'
import type { Visit, VisitPages } from '../kit/sending/private-pages.ts'
import { ADMIN, FIND, sectionsOf, waitingCounts } from './kit/frame.ts'
import { filteredResults, filterForm } from './kit/list-pages.ts'
import { DIRECTORY_LISTINGS, TOOL_LISTINGS } from './listings/kinds.ts'
import { listingPath } from './listings/pages.ts'
import { SUBMISSIONS, WAITING } from './submissions/list.ts'
import { SUPPORT } from './support/thread.ts'

/** How many of each kind are shown. */
const LIMIT = 5
/** The most characters of a search. */
const LONGEST = 200

interface Found {
  href: string
  name: string
  /** A text that tells it from others with the same name, such as its slug. */
  note?: string
  logo?: Markup
}

/** What an administrator can do in the console, and on which page. `also`: other words by which it is found. */
const COMMANDS: readonly (Found & { also?: string })[] = [
  { href: `${TOOL_LISTINGS.base}/-/new`, name: 'Add a tool', also: 'new create listing' },
  { href: `${DIRECTORY_LISTINGS.base}/-/new`, name: 'Add a directory', also: 'new create listing' },
  { href: `${ADMIN}/partners/-/new`, name: 'Add a partner', also: 'new create' },
  { href: `${ADMIN}/collections/-/new`, name: 'Add a collection', also: 'new create' },
  { href: `${ADMIN}/users#new`, name: 'Issue a key', also: 'new create make' },
  { href: `${ADMIN}/knowledge/-/new`, name: 'Write an article', also: 'new create add knowledge' },
  { href: `${ADMIN}/import`, name: 'Import a file', also: 'upload csv table' },
  { href: `${ADMIN}/import`, name: 'Download the catalog', also: 'export csv table' },
  { href: `${SUBMISSIONS}?view=table&state=IN_QUEUE`, name: 'Take submissions from the queue', also: 'new assign' },
  { href: `${WAITING}?waitingFor=us`, name: 'Follow up what waits for us', also: 'overdue late' },
  { href: `${SUPPORT}`, name: 'Answer questions', also: 'reply support' },
  { href: `${ADMIN}/webhooks?state=open`, name: 'Send webhooks again', also: 'resend failed delivery' },
  { href: `${ADMIN}/enrichments?state=failed`, name: 'Read failed websites again', also: 'retry enrichment' },
  { href: `${ADMIN}/site`, name: 'Change name, colours and pages of the site', also: 'brand logo accent' },
]

interface FoundGroup {
  title: string
  /** The address of the list with all of them. */
  all?: string
  found: readonly Found[]
}

async function find(visit: Visit, q: string): Promise<FoundGroup[]> {
  const query = { q, limit: LIMIT }
  const words = q.toLowerCase()
  const counts = await waitingCounts(visit)
  const pages = sectionsOf(visit.service, counts).filter(({ label }) => label.toLowerCase().includes(words))
  const [submissions, tools, directories, partners, users] = await Promise.all([
    visit.perform(listSubmissions, query),
    visit.perform(TOOL_LISTINGS.operations.list, query),
    visit.perform(DIRECTORY_LISTINGS.operations.list, query),
    visit.perform(listPartners, query),
    visit.perform(listUsers, query),
  ])
  return [
    {
      title: 'Pages',
      found: pages.map(({ href, label, icon: shape }) => ({ href, name: label, logo: shape && icon(shape) })),
    },
    {
      title: 'Commands',
      found: COMMANDS.filter(({ name, also = '' }) => `${name} ${also}`.toLowerCase().includes(words)),
    },
    {
      title: 'Submissions',
      all: addressWith(SUBMISSIONS, { view: 'table', q }),
      found: submissions.map(({ id, tool, client }) => ({
        href: `${SUBMISSIONS}/${id}`,
        name: tool.name,
        note: client.name,
        logo: listingTile(visit, 'tools', tool),
      })),
    },
    ...[
      { kind: TOOL_LISTINGS, found: tools },
      { kind: DIRECTORY_LISTINGS, found: directories },
    ].map(({ kind, found }) => ({
      title: kind.title,
      all: addressWith(kind.base, { q }),
      found: found.map(({ slug, name, icon }) => ({
        href: listingPath(kind, slug),
        name,
        note: slug,
        logo: tile(name, icon),
      })),
    })),
    {
      title: 'Partners',
      all: addressWith(`${ADMIN}/partners`, { q }),
      found: partners.map(({ id, name }) => ({ href: `${ADMIN}/partners/${id}`, name })),
    },
    {
      title: 'Users',
      all: addressWith(`${ADMIN}/users`, { q }),
      found: users.map(({ id, email }) => ({ href: `${ADMIN}/users/${id}`, name: email })),
    },
  ].filter(({ found }) => found.length > 0)
}

const group = ({ title, all, found }: FoundGroup): Markup =>
  html`<section class="panel"><h2>${title}</h2><ul class="found">${found.map(
    ({ href, name, note, logo }) =>
      html`<li class="named">${logo}<a href="${href}"><bdi>${oneLine(name, 80)}</bdi></a>${note && html` <span class="small quiet"><bdi>${oneLine(note, 60)}</bdi></span>`}</li>`,
  )}</ul>${all && found.length === LIMIT && html`<p><a class="clear" href="${all}">All of them</a></p>`}</section>`

export const findPages: VisitPages = {
  [FIND]: {
    GET: async (visit) => {
      const q = visit.query(['q']).q.trim().slice(0, LONGEST)
      const groups = q === '' ? [] : await find(visit, q)
      const rows = groups.flatMap(({ found }) => found)
      const results =
        q === ''
          ? group({ title: 'Commands', found: COMMANDS })
          : groups.length === 0
            ? emptyState({ title: 'Nothing has that name', text: 'Try a part of it, a website or an e-mail address.' })
            : html`<div class="finds">${groups.map(group)}</div>`
      return visit.send({
        title: 'Find',
        body: html`<div class="flow"><h1>Find</h1>
${filterForm(FIND, html`<div class="whole">${field({ name: 'q', label: 'Name', type: 'search', value: q, maxLength: LONGEST, placeholder: 'Page, listing, partner, user …' })}</div>`, q !== '' && FIND, { apply: 'Find', clearLabel: 'Clear' })}
${filteredResults({ rows, hasMore: false, page: 1 }, FIND, { q }, results)}
</div>`,
      })
    },
  },
}
