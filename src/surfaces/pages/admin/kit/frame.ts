// The frame of all pages of the console: the menu, the numbers in it of items that wait, and sending a page.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { getMenuCounts } from '../../../../features/overview/operations.ts'
import type { waitingSchema } from '../../../../features/overview/schema.ts'
import type { Service } from '../../../http/service.ts'
import { CONSOLE_SCRIPT } from '../../assets.ts'
import { html } from '../../kit/markup.ts'
import type { NavLink } from '../../kit/sending/document.ts'
import { type Area, type AreaPage, sendPrivate, type Visit } from '../../kit/sending/private-pages.ts'

export const ADMIN = '/admin'
export const FIND = `${ADMIN}/find`

/** The menu: sections by heading, in the order in which an administrator uses them during a day. */
const MENU: Readonly<Record<string, readonly NavLink[]>> = {
  Work: [
    { href: ADMIN, label: 'Home', icon: 'grid' },
    { href: FIND, label: 'Find', icon: 'search' },
    { href: `${ADMIN}/submissions`, label: 'Submissions', icon: 'send' },
    { href: `${ADMIN}/proposals`, label: 'Proposals', icon: 'try' },
    { href: `${ADMIN}/links`, label: 'Links', icon: 'link' },
    { href: `${ADMIN}/visitor-reports`, label: 'Reports', icon: 'flag' },
    { href: `${ADMIN}/support`, label: 'Support', icon: 'chat' },
    { href: `${ADMIN}/knowledge`, label: 'Knowledge', icon: 'book' },
    { href: `${ADMIN}/webhooks`, label: 'Webhooks', icon: 'webhook' },
    { href: `${ADMIN}/enrichments`, label: 'Enrichments', icon: 'bulb' },
    { href: `${ADMIN}/pictures`, label: 'Pictures', icon: 'image' },
  ],
  Catalog: [
    { href: `${ADMIN}/tools`, label: 'Tools', icon: 'box' },
    { href: `${ADMIN}/directories`, label: 'Directories', icon: 'globe' },
    { href: `${ADMIN}/health`, label: 'Health', icon: 'wave' },
    { href: `${ADMIN}/taxonomy`, label: 'Taxonomy', icon: 'tag' },
    { href: `${ADMIN}/collections`, label: 'Collections', icon: 'bookmark' },
    { href: `${ADMIN}/search`, label: 'Search', icon: 'list' },
    { href: `${ADMIN}/unfound`, label: 'Unfound questions', icon: 'help' },
    { href: `${ADMIN}/import`, label: 'Import and export', icon: 'download' },
  ],
  People: [
    { href: `${ADMIN}/partners`, label: 'Partners', icon: 'hands' },
    { href: `${ADMIN}/users`, label: 'Users', icon: 'users' },
  ],
  Service: [
    { href: `${ADMIN}/site`, label: 'Site', icon: 'sliders' },
    { href: `${ADMIN}/audit`, label: 'Audit log', icon: 'history' },
    { href: `${ADMIN}/operations`, label: 'Operations', icon: 'code' },
  ],
}
const SECTIONS: readonly NavLink[] = Object.entries(MENU).flatMap(([group, links]) =>
  links.map((link) => ({ ...link, group })),
)

/** Is in the menu only while the paid plan is set up. */
const PAYMENTS: NavLink = { href: `${ADMIN}/subscriptions`, label: 'Subscriptions', icon: 'refresh', group: 'People' }

/** Is in the menu while packages are sold, and afterwards while a package is paid and its work has not begun. */
const ORDERS: NavLink = { href: `${ADMIN}/orders`, label: 'Orders', icon: 'ticket', group: 'Work' }

/** These two are in the menu only while founders may send products. */
const REVIEWS: NavLink = { href: `${ADMIN}/reviews`, label: 'Reviews', icon: 'clipboard', group: 'Work' }
const OWNERS: NavLink = { href: `${ADMIN}/owners`, label: 'Owners', icon: 'check', group: 'People' }

export const sectionsOf = ({ takesPayments, sellsPackages, founders }: Service, counts: Counts): readonly NavLink[] =>
  SECTIONS.flatMap((section) => [
    section,
    ...(section.label === 'Submissions' && (sellsPackages || counts[ORDERS.href]) ? [ORDERS] : []),
    ...(section.label === 'Submissions' && founders !== 'off' ? [REVIEWS] : []),
    ...(section.label === 'Users' && takesPayments ? [PAYMENTS] : []),
    ...(section.label === 'Users' && founders !== 'off' ? [OWNERS] : []),
  ])

async function sendAdmin(visit: Visit, page: AreaPage, status = 200): Promise<FastifyReply> {
  const counts = await waitingCounts(visit)
  const sections = sectionsOf(visit.service, counts).map((section) => {
    const count = counts[section.href]
    return { ...section, count, href: count ? (COUNTED[section.href] ?? section.href) : section.href }
  })
  const shown = {
    description: 'Administration.',
    ...page,
    // Administrators work in the console all day, so it is denser than the other pages and as wide as the screen.
    body: html`<div class="wide-page">${page.body}</div>`,
    nav: { label: 'Console', sections },
    script: CONSOLE_SCRIPT,
  }
  return sendPrivate(visit, shown, status)
}

export const CONSOLE: Area = { audience: 'admin', send: sendAdmin }

// The menu of every page shows how many items wait, so the numbers are kept for a few seconds instead of being counted each time.
const COUNTS_KEPT_MS = 5000

type Counts = Readonly<Record<string, number>>

const keptCounts = new WeakMap<Service, { until: number; counts: Promise<Counts> }>()

/** How many items wait, by the address of the section. {} if they cannot be counted, because a page must not fail because of its menu. */
export function waitingCounts({ service, perform }: Visit): Promise<Counts> {
  const now = performance.now()
  const known = keptCounts.get(service)
  if (known && now < known.until) return known.counts
  const counts = perform(getMenuCounts, {}).then(sectionCounts, (): Counts => ({}))
  keptCounts.set(service, { until: now + COUNTS_KEPT_MS, counts })
  return counts
}

/** The section in which each kind of work is done. */
const SECTION_OF: Record<keyof Static<typeof waitingSchema>, string> = {
  queue: `${ADMIN}/submissions`,
  orders: `${ADMIN}/orders`,
  reviews: `${ADMIN}/reviews`,
  proposals: `${ADMIN}/proposals`,
  inbox: `${ADMIN}/support`,
  lostLinks: `${ADMIN}/links`,
  health: `${ADMIN}/health`,
  visitorReports: `${ADMIN}/visitor-reports`,
}

/** For sections that show more rows than their number counts: the address with the filter that shows exactly those that are counted. */
export const COUNTED: Readonly<Record<string, string>> = {
  [ORDERS.href]: `${ORDERS.href}?waiting=true`,
  [`${ADMIN}/proposals`]: `${ADMIN}/proposals?state=waiting`,
  [`${ADMIN}/links`]: `${ADMIN}/links?show=lost`,
}

/** The counts of the operation by the address of the section. */
export const sectionCounts = (waiting: Static<typeof waitingSchema>): Counts =>
  Object.fromEntries(
    Object.entries(SECTION_OF).map(([name, href]) => [href, waiting[name as keyof typeof waiting] ?? 0]),
  )
