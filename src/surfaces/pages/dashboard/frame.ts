// The frame of all dashboard pages: its sections.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../http/service.ts'
import type { NavLink, Page } from '../kit/document.ts'
import { sendPrivate } from '../kit/private-pages.ts'

const KEY_SECTIONS: readonly NavLink[] = [
  { href: '/dashboard', label: 'Keys' },
  { href: '/dashboard/usage', label: 'Usage' },
]

/** Only while agents may sign in. */
const APP_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/apps', label: 'Apps' }]

/** Only while the paid plan is set up. */
const PLAN_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/plan', label: 'Plan' }]

/** Only for users who work for a partner. */
const PARTNER_SECTIONS: readonly NavLink[] = [
  { href: '/dashboard/partner', label: 'Submissions' },
  { href: '/dashboard/partner/support', label: 'Support' },
  { href: '/dashboard/partner/webhooks', label: 'Webhooks' },
]

const ACCOUNT_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/account', label: 'Account' }]

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
      nav: {
        label: 'Dashboard',
        sections: [
          ...KEY_SECTIONS,
          ...(service.agentsSignIn ? APP_SECTIONS : []),
          ...(service.takesPayments ? PLAN_SECTIONS : []),
          ...(request.user?.partnerId ? PARTNER_SECTIONS : []),
          ...ACCOUNT_SECTIONS,
        ],
      },
    },
    status,
  )
