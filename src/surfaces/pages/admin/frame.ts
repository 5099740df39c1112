// The frame of all console pages: its sections, and sending a page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../http/service.ts'
import { CONSOLE_SCRIPT } from '../assets.ts'
import type { NavLink, Page } from '../kit/document.ts'
import { html } from '../kit/markup.ts'
import { sendPrivate } from '../kit/private-pages.ts'
import { waitingCounts } from './waiting.ts'

export const ADMIN = '/admin'

/** In the order in which an administrator uses them on a day. */
const SECTIONS: readonly NavLink[] = [
  { href: ADMIN, label: 'Home' },
  { href: `${ADMIN}/submissions`, label: 'Submissions' },
  { href: `${ADMIN}/links`, label: 'Links' },
  { href: `${ADMIN}/support`, label: 'Support' },
  { href: `${ADMIN}/webhooks`, label: 'Webhooks' },
  { href: `${ADMIN}/enrichments`, label: 'Enrichments' },
  { href: `${ADMIN}/pictures`, label: 'Pictures' },
  { href: `${ADMIN}/tools`, label: 'Tools' },
  { href: `${ADMIN}/directories`, label: 'Directories' },
  { href: `${ADMIN}/taxonomy`, label: 'Taxonomy' },
  { href: `${ADMIN}/collections`, label: 'Collections' },
  { href: `${ADMIN}/search`, label: 'Search' },
  { href: `${ADMIN}/unfound`, label: 'Not found' },
  { href: `${ADMIN}/partners`, label: 'Partners' },
  { href: `${ADMIN}/knowledge`, label: 'Knowledge' },
  { href: `${ADMIN}/users`, label: 'Users' },
  { href: `${ADMIN}/import`, label: 'Import and export' },
  { href: `${ADMIN}/site`, label: 'Site' },
  { href: `${ADMIN}/audit`, label: 'Audit log' },
]

/** Only while the paid plan is set up. */
const PAYMENTS: NavLink = { href: `${ADMIN}/subscriptions`, label: 'Subscriptions' }

const sectionsOf = ({ takesPayments }: Service): readonly NavLink[] =>
  takesPayments ? SECTIONS.flatMap((section) => (section.label === 'Users' ? [section, PAYMENTS] : section)) : SECTIONS

export const sendAdmin = async (
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Pick<Page, 'title' | 'body' | 'flash' | 'accentColor'>,
  status = 200,
): Promise<FastifyReply> => {
  const counts = await waitingCounts(service, request)
  const sections = sectionsOf(service).map((section) => ({ ...section, count: counts[section.href] }))
  return sendPrivate(
    service,
    request,
    reply,
    {
      description: 'Administration.',
      ...page,
      // Administrators work in the console all day, so it is denser than the other pages and as wide as the screen.
      body: html`<div class="wide-page">${page.body}</div>`,
      nav: { label: 'Console', sections },
      script: CONSOLE_SCRIPT,
    },
    status,
  )
}
