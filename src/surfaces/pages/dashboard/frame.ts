// What all pages of the dashboard share: its sections, times and numbers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../http/service.ts'
import type { NavLink, Page } from '../document.ts'
import { html, type Markup } from '../markup.ts'
import { sendPrivate } from '../private.ts'

const OWN: readonly NavLink[] = [
  { href: '/dashboard', label: 'Keys' },
  { href: '/dashboard/usage', label: 'Usage' },
]

/** Only for the people of a partner. */
const PARTNER: readonly NavLink[] = [
  { href: '/dashboard/partner', label: 'Submissions' },
  { href: '/dashboard/partner/support', label: 'Support' },
  { href: '/dashboard/partner/webhooks', label: 'Webhooks' },
]

const ACCOUNT: readonly NavLink[] = [{ href: '/dashboard/account', label: 'Account' }]

export const sendDashboard = (
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
      description: 'Keys, usage and account.',
      ...page,
      nav: { label: 'Dashboard', sections: [...OWN, ...(request.user?.partnerId ? PARTNER : []), ...ACCOUNT] },
    },
    status,
  )

/** To the minute, in UTC, as all times of the service are. */
export function time(at: string | Date | null): Markup | null {
  if (at === null) return null
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`
}

export const number = (value: number): string => value.toLocaleString('en')

export const param = (request: FastifyRequest, name: string): string =>
  (request.params as Record<string, string>)[name] ?? ''
