// The frame around every page: head, masthead, sections of a signed-in area, footer.
import { REST_BASE } from '../../http/addresses.ts'
import { NAME } from '../../http/identity.ts'
import { SCRIPT, STYLESHEET } from '../assets.ts'
import { type Flash, flashes } from './flash.ts'
import { dataBlock, html, type Markup, oneLine } from './markup.ts'

export interface NavLink {
  href: string
  label: string
  /** Shown as a badge: how many items wait in that section. */
  count?: number
}

/** The navigation of a signed-in area. A page without it is public and the same for every visitor. */
export interface PageNav {
  /** The signed-in user, who sees Dashboard in the masthead instead of Sign in. */
  user?: { name: string; isAdministrator?: boolean }
  /** The name of the area for screen readers, such as "Dashboard". */
  label?: string
  sections?: readonly NavLink[]
  /** Markup at the end of the masthead, such as the form that signs the user out. */
  end?: Markup
}

export interface Page {
  title: string
  description: string
  /** The canonical address for search engines. A page without one is marked `noindex`. */
  url?: string
  /** The address without the host. The menu and the sections mark the link that leads to it. */
  path?: string
  adult?: boolean
  picture?: string | null
  /** What the page is about, in the vocabulary of schema.org. */
  facts?: object | readonly object[]
  nav?: PageNav
  /** Messages above the content. */
  flash?: readonly Flash[]
  body: Markup
}

export const renderPage = (page: Page): Buffer => Buffer.from(String(frame(page)))

// htmx adds no style and no history of its own, and replaces nothing after a failure: our script shows the message.
const HTMX = JSON.stringify({ includeIndicatorCSS: false, history: false, noSwap: [204, 304, '4xx', '5xx'] })

// A drawer with cards. It is part of the page, because browsers otherwise request /favicon.ico and the visitor is charged for it.
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0b7a61" stroke-width="2.5"><path d="M5 9V3h14v6M2 9h20v12H2zM9 14.5h6"/></svg>',
)}`
const LOGO = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true" focusable="false"><path d="M5 9V6h14v3M7 6V3h10v3M2 9h20v12H2zM9 14.5h6"/></svg>`

function frame(page: Page): Markup {
  const { title, description, url, adult = false, picture, facts, nav, body } = page
  const shortTitle = oneLine(title, 48)
  const fullTitle = shortTitle === NAME ? NAME : `${shortTitle} – ${NAME}`
  const summary = oneLine(description, 160)
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${fullTitle}</title>
<meta name="description" content="${summary}">
${(adult || !url) && html`<meta name="robots" content="noindex">`}
${adult && html`<meta name="rating" content="adult">`}
${url && openGraph(url, shortTitle, summary, picture)}
<meta name="htmx-config" content="${HTMX}">
<link rel="stylesheet" href="${STYLESHEET}">
<script src="${SCRIPT}" defer></script>
<link rel="icon" href="${ICON}">
${[facts ?? []].flat().map((fact) => dataBlock({ '@context': 'https://schema.org', ...fact }))}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="masthead">
<div class="wrap">
<a class="brand" href="/">${LOGO}<span>${NAME}</span></a>
${menu('Main', [...MAIN_LINKS, ...accountLinks(nav)], page.path)}
${nav?.end}
</div>
</header>
<main id="content" class="wrap" tabindex="-1">
${page.flash && flashes(page.flash)}
${nav?.sections ? area(nav, page.path, body) : body}
</main>
<footer class="footer">
<div class="wrap">
<p>Catalogs of AI tools and of startup directories, for people, programs and agents. Open source.</p>
${menu('Footer', FOOTER_LINKS)}
</div>
</footer>
</body>
</html>
`
}

const MAIN_LINKS: readonly NavLink[] = [
  { href: '/tools', label: 'Tools' },
  { href: '/directories', label: 'Directories' },
  { href: '/plan', label: 'Launch plan' },
  { href: '/developers', label: 'Developers' },
]

const FOOTER_LINKS: readonly NavLink[] = [
  { href: '/docs', label: 'API reference' },
  { href: `${REST_BASE}/openapi.json`, label: 'OpenAPI' },
  { href: '/policy', label: 'Acceptable use' },
]

function accountLinks(nav: PageNav | undefined): NavLink[] {
  if (!nav?.user) return [{ href: '/sign-in', label: 'Sign in' }]
  const dashboard = { href: '/dashboard', label: 'Dashboard' }
  return nav.user.isAdministrator ? [dashboard, { href: '/admin', label: 'Admin' }] : [dashboard]
}

const menu = (label: string, links: readonly NavLink[], path?: string): Markup =>
  html`<nav class="menu" aria-label="${label}">
<ul>
${links.map((link) => html`<li><a href="${link.href}"${isWithin(path, link.href) && html` aria-current="page"`}>${link.label}</a></li>\n`)}</ul>
</nav>`

const area = ({ label = 'Sections', sections = [] }: PageNav, path: string | undefined, body: Markup): Markup => {
  // The longest match, because the address of one section (/dashboard) is a prefix of all the others.
  const current = sections
    .filter(({ href }) => isWithin(path, href))
    .reduce<NavLink | null>((best, link) => (best && best.href.length >= link.href.length ? best : link), null)
  return html`<div class="area">
<nav class="sections" aria-label="${label}">
<ul>
${sections.map(
  (link) =>
    html`<li><a href="${link.href}"${link === current && html` aria-current="page"`}>${link.label}${link.count ? html` <span class="badge">${link.count}</span>` : ''}</a></li>\n`,
)}</ul>
</nav>
<div>
${body}
</div>
</div>`
}

const isWithin = (path: string | undefined, place: string): boolean =>
  path !== undefined && (path === place || path.startsWith(`${place}/`))

const openGraph = (url: string, title: string, description: string, picture: string | null | undefined) =>
  html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${NAME}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${picture && html`<meta property="og:image" content="${picture}">`}
<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">`
