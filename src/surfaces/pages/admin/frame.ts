// The frame of all console pages: its sections, and sending a page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../http/service.ts'
import type { NavLink, Page } from '../kit/document.ts'
import { html } from '../kit/markup.ts'
import { sendPrivate } from '../kit/private-pages.ts'

export const ADMIN = '/admin'

/** In the order in which an administrator uses them on a day. */
const SECTIONS: readonly NavLink[] = [
  { href: ADMIN, label: 'Home' },
  { href: `${ADMIN}/submissions`, label: 'Submissions' },
  { href: `${ADMIN}/links`, label: 'Links' },
  { href: `${ADMIN}/support`, label: 'Support' },
  { href: `${ADMIN}/webhooks`, label: 'Webhooks' },
  { href: `${ADMIN}/enrichments`, label: 'Enrichments' },
  { href: `${ADMIN}/tools`, label: 'Tools' },
  { href: `${ADMIN}/directories`, label: 'Directories' },
  { href: `${ADMIN}/taxonomy`, label: 'Taxonomy' },
  { href: `${ADMIN}/search`, label: 'Search' },
  { href: `${ADMIN}/unfound`, label: 'Not found' },
  { href: `${ADMIN}/partners`, label: 'Partners' },
  { href: `${ADMIN}/knowledge`, label: 'Knowledge' },
  { href: `${ADMIN}/users`, label: 'Users' },
  { href: `${ADMIN}/import`, label: 'Import and export' },
  { href: `${ADMIN}/audit`, label: 'Audit log' },
]

export const sendAdmin = (
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Pick<Page, 'title' | 'body' | 'flash'>,
  status = 200,
): FastifyReply =>
  sendPrivate(
    service,
    request,
    reply,
    {
      description: 'Administration.',
      ...page,
      // Administrators work in the console all day, so it is denser than the other pages and as wide as the screen.
      body: html`<div class="wide-page">${page.body}</div>`,
      nav: { label: 'Console', sections: SECTIONS },
    },
    status,
  )
