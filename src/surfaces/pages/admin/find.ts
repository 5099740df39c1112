// Finds what an administrator wants to go to: pages of the console, submissions, listings, partners and users. ⌘K or Ctrl+K leads here.
import { listPartners } from '../../../features/partners/operations.ts'
import { listSubmissions } from '../../../features/submissions/queue.operations.ts'
import { listUsers } from '../../../features/users/operations.ts'
import { emptyState, tile } from '../kit/components.ts'
import { field } from '../kit/field.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { ADMIN, FIND, sectionsOf } from './frame.ts'
import { filteredResults, filterForm } from './list-pages.ts'
import { DIRECTORY_LISTINGS, TOOL_LISTINGS } from './listings/kinds.ts'
import { listingPath } from './listings/pages.ts'
import { listingTile } from './named.ts'
import { SUBMISSIONS } from './submissions/list.ts'
import type { ConsolePages, Visit } from './visit.ts'

const LIMIT = 5
const LONGEST = 200

interface Found {
  href: string
  name: string
  /** What tells it from others with the same name. */
  note?: string
  logo?: Markup
}

interface FoundGroup {
  title: string
  /** The list with all that is found. */
  all?: string
  found: readonly Found[]
}

async function find(visit: Visit, q: string): Promise<FoundGroup[]> {
  const query = { q, limit: LIMIT }
  const words = q.toLowerCase()
  const pages = sectionsOf(visit.service).filter(({ label }) => label.toLowerCase().includes(words))
  const [submissions, tools, directories, partners, users] = await Promise.all([
    visit.perform(listSubmissions, query),
    visit.perform(TOOL_LISTINGS.operations.list, query),
    visit.perform(DIRECTORY_LISTINGS.operations.list, query),
    visit.perform(listPartners, query),
    visit.perform(listUsers, query),
  ])
  return [
    { title: 'Pages', found: pages.map(({ href, label }) => ({ href, name: label })) },
    {
      title: 'Submissions',
      all: addressWith(SUBMISSIONS, { view: 'table', q }),
      found: submissions.map(({ id, tool, client }) => ({
        ...{
          href: `${SUBMISSIONS}/${id}`,
          name: tool.name,
          note: client.name,
          logo: listingTile(visit, 'tools', tool),
        },
      })),
    },
    ...[
      { kind: TOOL_LISTINGS, found: tools },
      { kind: DIRECTORY_LISTINGS, found: directories },
    ].map(({ kind, found }) => ({
      title: kind.title,
      all: addressWith(kind.base, { q }),
      found: found.map(({ slug, name, icon }) => ({
        ...{ href: listingPath(kind, slug), name, note: slug, logo: tile(name, icon) },
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
  html`<section><h2 class="small quiet">${title}</h2><ul class="found">${found.map(
    ({ href, name, note, logo }) =>
      html`<li class="named">${logo}<a href="${href}"><bdi>${oneLine(name, 80)}</bdi></a>${note && html` <span class="small quiet"><bdi>${oneLine(note, 60)}</bdi></span>`}</li>`,
  )}</ul>${all && found.length === LIMIT && html`<p><a class="clear" href="${all}">All of them</a></p>`}</section>`

export const findPages: ConsolePages = {
  [FIND]: {
    GET: async (visit) => {
      const q = visit.query(['q']).q.trim().slice(0, LONGEST)
      const groups = q === '' ? [] : await find(visit, q)
      const rows = groups.flatMap(({ found }) => found)
      const results =
        q === ''
          ? emptyState({ title: 'Type a name', text: 'Pages, submissions, listings, partners and users are found.' })
          : groups.length === 0
            ? emptyState({ title: 'Nothing has that name', text: 'Try a part of it, a website or an e-mail address.' })
            : html`${groups.map(group)}`
      return visit.send({
        title: 'Find',
        body: html`<div class="flow"><h1>Find</h1>
${filterForm(FIND, field({ name: 'q', label: 'Name', type: 'search', value: q, maxLength: LONGEST, placeholder: 'A page, submission, listing, partner or user' }), q !== '' && FIND)}
${filteredResults({ rows, hasMore: false, page: 1 }, FIND, { q }, results)}
</div>`,
      })
    },
  },
}
