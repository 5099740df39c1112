// Sends the pages of the dashboard, each with the menu of its sections.
import { OWN_PRODUCTS, SAVED } from '../addresses.ts'
import { html } from '../kit/markup.ts'
import type { NavLink } from '../kit/sending/document.ts'
import { type Area, sendPrivate } from '../kit/sending/private-pages.ts'

/** Shown only while founders may send products. */
const FOUNDER_SECTIONS = inGroup('Founder', [{ href: OWN_PRODUCTS, label: 'Products', icon: 'box' }])

/** Shown only while packages are sold. */
const ORDER_SECTIONS = inGroup('Founder', [{ href: '/dashboard/orders', label: 'Orders', icon: 'send' }])

/** Shown only while founders may send products: the first page then has the keys below the founder's products. */
const OVERVIEW = inGroup('Founder', [{ href: '/dashboard', label: 'Overview', icon: 'grid' }])
const keySections = (href: string) =>
  inGroup('Developer', [
    { href, label: 'Keys', icon: 'key' },
    { href: '/dashboard/usage', label: 'Usage', icon: 'bars' },
  ])

/** Shown only while agents may sign in. */
const APP_SECTIONS = inGroup('Developer', [{ href: '/dashboard/apps', label: 'Apps', icon: 'plug' }])

/** Shown only while the paid plan is set up. */
const PLAN_SECTIONS = inGroup('Developer', [{ href: '/dashboard/plan', label: 'Plan', icon: 'ticket' }])

/** Shown only to users who work for a partner. */
const PARTNER_SECTIONS = inGroup('Partner', [
  { href: '/dashboard/partner', label: 'Submissions', icon: 'send' },
  { href: '/dashboard/partner/support', label: 'Support', icon: 'chat' },
  { href: '/dashboard/partner/webhooks', label: 'Webhooks', icon: 'webhook' },
])

const ACCOUNT_SECTIONS = inGroup('Account', [
  { href: SAVED, label: 'Saved', icon: 'bookmark' },
  { href: '/dashboard/account', label: 'Account', icon: 'user' },
])

function inGroup(group: string, links: readonly NavLink[]): NavLink[] {
  return links.map((link) => ({ ...link, group }))
}

export const DASHBOARD: Area = {
  audience: 'user',
  send: (visit, page, status) => {
    const { founders, sellsPackages, agentsSignIn, takesPayments } = visit.service
    const { url, user } = visit.request
    const shown = {
      description: 'Keys, usage and account.',
      // The addresses of the pages on which founders submit and claim do not begin with /dashboard. The menu marks Products for them.
      path: url.startsWith('/dashboard') ? url.split('?')[0] : OWN_PRODUCTS,
      ...page,
      body: html`<div class="wide-page own">${page.body}</div>`,
      nav: {
        label: 'Dashboard',
        sections: [
          ...(founders === 'off' ? [] : [...OVERVIEW, ...FOUNDER_SECTIONS]),
          ...(sellsPackages ? ORDER_SECTIONS : []),
          ...keySections(founders === 'off' ? '/dashboard' : '/dashboard#keys'),
          ...(agentsSignIn ? APP_SECTIONS : []),
          ...(takesPayments ? PLAN_SECTIONS : []),
          ...(user?.partnerId ? PARTNER_SECTIONS : []),
          ...ACCOUNT_SECTIONS,
        ],
      },
    }
    return sendPrivate(visit, shown, status)
  },
}
