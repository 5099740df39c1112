// Sends the pages of the dashboard, each with the menu of its sections.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../http/service.ts'
import type { NavLink, Page } from '../kit/document.ts'
import { sendPrivate } from '../kit/private-pages.ts'
import { SAVED } from '../kit/site-addresses.ts'

const KEY_SECTIONS: readonly NavLink[] = [
  { href: '/dashboard', label: 'Keys', icon: 'key' },
  { href: '/dashboard/usage', label: 'Usage', icon: 'bars' },
  { href: SAVED, label: 'Saved', icon: 'bookmark' },
]

/** Only while agents may sign in. */
const APP_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/apps', label: 'Apps', icon: 'plug' }]

/** Only while the paid plan is set up. */
const PLAN_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/plan', label: 'Plan', icon: 'ticket' }]

/** Only while founders may send products. */
const PRODUCTS = '/dashboard/products'
const FOUNDER_SECTIONS: readonly NavLink[] = [{ href: PRODUCTS, label: 'Products', icon: 'box' }]

/** Only while packages are sold. */
const ORDER_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/orders', label: 'Orders', icon: 'send' }]

/** Only for users who work for a partner. */
const PARTNER_SECTIONS: readonly NavLink[] = [
  { href: '/dashboard/partner', label: 'Submissions', icon: 'send' },
  { href: '/dashboard/partner/support', label: 'Support', icon: 'chat' },
  { href: '/dashboard/partner/webhooks', label: 'Webhooks', icon: 'webhook' },
]

const ACCOUNT_SECTIONS: readonly NavLink[] = [{ href: '/dashboard/account', label: 'Account', icon: 'user' }]

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
      // The pages on which founders submit and claim have other addresses, and belong to their products.
      path: request.url.startsWith('/dashboard') ? request.url.split('?')[0] : PRODUCTS,
      nav: {
        label: 'Dashboard',
        sections: [
          ...KEY_SECTIONS,
          ...(service.agentsSignIn ? APP_SECTIONS : []),
          ...(service.takesPayments ? PLAN_SECTIONS : []),
          ...(service.founders === 'off' ? [] : FOUNDER_SECTIONS),
          ...(service.sellsPackages ? ORDER_SECTIONS : []),
          ...(request.user?.partnerId ? PARTNER_SECTIONS : []),
          ...ACCOUNT_SECTIONS,
        ],
      },
    },
    status,
  )
