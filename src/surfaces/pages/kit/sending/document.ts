// The frame around every page: the head, the masthead with its menu, the sections of a signed-in area, and the footer with its links.
import { hasPage } from '../../../../features/site/rules.ts'
import { DEFAULT_SITE, type SiteFields, TEXT_PAGES, type TextName } from '../../../../features/site/schema.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { REST_BASE } from '../../../http/addresses.ts'
import { SOFTWARE } from '../../../http/software.ts'
import { stylesheetWith } from '../../accent.ts'
import { pictureAddress } from '../../addresses.ts'
import { AREA_STYLESHEET, PRELOADED_FONTS, SCRIPT } from '../../assets.ts'
import { ICON, MANIFEST, TOUCH_ICON } from '../../manifest.ts'
import { siteCardAddress } from '../../site-card.ts'
import { linkButton } from '../button.ts'
import { type Flash, flashes } from '../components.ts'
import { type IconName, icon } from '../icon.ts'
import { dataBlock, html, type Markup, oneLine } from '../markup.ts'

export interface NavLink {
  href: string
  label: string
  /** Shown as a badge: how many items wait in that section. */
  count?: number
  /** Shown before the label in the menu of a signed-in area. */
  icon?: IconName
  /** The heading under which the section is listed, together with its neighbours of the same group. */
  group?: string
}

/** The navigation of a signed-in area. A page without it is public and the same for every visitor. */
interface PageNav {
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
  /** The address without the host. Menus mark the link that leads to it. */
  path?: string
  /** Whether the page has a search of its own, so that the masthead needs none. */
  ownSearch?: boolean
  adult?: boolean
  /** The complete address of the picture that other sites show with a link to the page, 1,200 by 630 pixels. */
  share?: string
  /** What the page is about, in the vocabulary of schema.org. */
  facts?: object | readonly object[]
  nav?: PageNav
  /** Whether a page without `nav` needs the stylesheet of the signed-in areas, because it has components of them, as a report does, or is of the API reference. */
  showsAreas?: boolean
  /** The path of the Atom feed of what the page lists. */
  feed?: string
  /** The ids of the tools that a search has found. They are counted, and the owners of these tools see the numbers. */
  found?: readonly string[]
  /** Another accent colour than the site's, for a preview. */
  accentColor?: string
  flash?: readonly Flash[]
  body: Markup
  /** The address of a script that only some pages load. */
  script?: string
}

/** `site`: what visitors see of the site itself, such as its name. */
export const renderPage = (page: Page, site: SiteFields = DEFAULT_SITE): Buffer =>
  Buffer.from(String(frame(page, site)))

// The settings of htmx: it adds no styles and no history entries, and a failed request replaces nothing. Our script shows the failure.
const HTMX = JSON.stringify({ includeIndicatorCSS: false, history: false, noSwap: [204, 304, '4xx', '5xx'] })

const LOGO = html`<svg class="drawer-mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true"><rect x="7" y="3" width="15" height="14" rx="3"/><rect x="4.5" y="8" width="23" height="12" rx="3"/><rect x="2" y="13" width="28" height="16" rx="4.5"/><rect x="11" y="18.5" width="10" height="4" rx="2"/></svg>`

// Fonts are loaded early but with low priority: on a slow connection they must not delay the stylesheet, which the first paint waits for.
const FONT_LINKS = PRELOADED_FONTS.map(
  (font) => html`<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin fetchpriority="low">\n`,
)

function frame(page: Page, site: SiteFields): Markup {
  const { title, description, url, adult = false, facts, nav, body } = page
  const shortTitle = oneLine(title, 48)
  const { name } = site
  const fullTitle = shortTitle === name ? `${name} – ${oneLine(site.tagline, 80)}` : `${shortTitle} – ${name}`
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
${url && openGraph(name, url, shortTitle, summary, page.share ?? (adult ? null : siteCardAddress(site, url)))}
<meta name="htmx-config" content="${HTMX}">
<link rel="stylesheet" href="${stylesheetWith(page.accentColor ?? site.accentColor)}">
${(page.nav || page.showsAreas) && html`<link rel="stylesheet" href="${AREA_STYLESHEET}">`}
${FONT_LINKS}
<script src="${SCRIPT}" defer></script>
${page.script && html`<script src="${page.script}" defer></script>`}
${page.feed && html`<link rel="alternate" type="application/atom+xml" href="${page.feed}">\n`}<link rel="icon" href="${pictureAddress(site.logo) ?? ICON}">
<link rel="apple-touch-icon" href="${pictureAddress(site.logo) ?? TOUCH_ICON}">
<link rel="manifest" href="${MANIFEST}">
${[facts ?? []].flat().map((fact) => dataBlock({ '@context': 'https://schema.org', ...fact }))}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="masthead">
<div class="wrap">
<a class="brand" href="/">${site.logo ? html`<img src="${pictureAddress(site.logo)}" alt="" width="32" height="32">` : LOGO}<span><bdi>${name}</bdi></span></a>
${menu('Main', site.navigation, page.path)}
<div class="head-end" data-account="${nav?.user ? 'user' : ''}">
${!page.ownSearch && HEAD_SEARCH}
${headEnd(nav, page, site)}
</div>
</div>
</header>
<main id="content" class="wrap" tabindex="-1">
${page.flash && flashes(page.flash)}
${nav?.sections ? area(nav, page.path, body) : body}
</main>
<footer class="footer">
<div class="wrap">
<p><bdi>${site.tagline}</bdi>. <span class="powered">Powered by ${SOFTWARE}, open source.</span></p>
${menu('Footer', footerLinks(site), undefined, 'links-row')}
</div>
</footer>
</body>
</html>
`
}

/** Shown in the footer and in the menu of narrow screens. */
const SELLING_LINKS: readonly NavLink[] = [
  { href: '/submit', label: 'Submit a product' },
  { href: '/pricing', label: 'Pricing' },
]

const FOOTER_LINKS: readonly NavLink[] = [
  { href: '/docs', label: 'API reference' },
  { href: `${REST_BASE}/openapi.json`, label: 'OpenAPI' },
  { href: '/shortlist', label: 'Shortlist' },
  { href: '/policy', label: 'Acceptable use' },
  ...SELLING_LINKS,
]

/** The links that every site has, then the pages whose text the operator wrote (`TEXT_PAGES`), then the operator's own links. */
const footerLinks = (site: SiteFields): NavLink[] => [
  ...FOOTER_LINKS,
  ...Object.entries(TEXT_PAGES)
    .filter(([page]) => page !== 'submit' && hasPage(site, page as TextName))
    .map(([page, label]) => ({ href: `/${page}`, label })),
  ...site.links.map(({ label, href }) => ({ label, href })),
]

/** The search over tools and directories, on every page without a search of its own. The script focuses it when "/" is pressed. */
const HEAD_SEARCH = html`<form class="head-search" action="/search" method="get" role="search" aria-label="Both catalogs">${icon('search')}<label class="visually-hidden" for="head-q">Search both catalogs</label><input type="search" id="head-q" name="q" maxlength="500" placeholder="Search both catalogs" autocomplete="off" enterkeyhint="search" data-search><kbd aria-hidden="true">/</kbd><button type="submit">Search</button></form>`

function accountLinks(nav: PageNav | undefined): NavLink[] {
  if (!nav?.user) return [{ href: '/sign-in', label: 'Sign in' }]
  const dashboard = { href: '/dashboard', label: 'Dashboard' }
  return nav.user.isAdministrator ? [dashboard, { href: '/admin', label: 'Console' }] : [dashboard]
}

/** The end of the masthead: the links of the account and, on narrow screens instead of them, one menu with all links. */
function headEnd(nav: PageNav | undefined, page: Page, { navigation }: SiteFields): Markup {
  const account = accountLinks(nav)
  const isNew = ({ href }: NavLink) => !navigation.some((link) => link.href === href)
  const more: NavLink[] = page.ownSearch ? [] : [{ href: '/search', label: 'Search' }]
  const key = linkButton('/sign-up', 'Get a key')
  return html`${menu('Account', account, page.path, 'account')}
${nav?.user ? nav.end : key}
<details class="head-menu"><summary aria-label="Menu">${icon('menu', 'large')}</summary><div>${menu('Menu', [...more, ...navigation, ...SELLING_LINKS.filter(isNew), ...account], page.path)}${!nav?.user && key}</div></details>`
}

const menu = (label: string, links: readonly NavLink[], path?: string, className = ''): Markup =>
  html`<nav class="${className === 'links-row' ? className : `nav ${className}`.trim()}" aria-label="${label}">
<ul>
${links.map((link) => html`<li><a href="${link.href}"${isWithin(path, link.href) && html` aria-current="page"`}>${link.label}</a></li>\n`)}</ul>
</nav>`

const area = ({ label = 'Sections', sections = [] }: PageNav, path: string | undefined, body: Markup): Markup => {
  // The current section is the longest match, because the address of one section (/dashboard) is the beginning of all others.
  const current = sections
    .filter(({ href }) => isWithin(path, href))
    .reduce<NavLink | null>((best, link) => (best && best.href.length >= link.href.length ? best : link), null)
  const groups = [...Map.groupBy(sections, ({ group = '' }) => group)]
  // On phones the menu is closed until it is tapped. On wider screens the stylesheet shows it open, beside the page.
  return html`<div class="area">
<nav class="sections" aria-label="${label}">
<details><summary>${icon('menu')}${label}${current && html`: ${current.label}`}</summary>
${groups.map(([group, links]) => html`<div>${group && html`<p class="label">${group}</p>`}<ul>\n${links.map((link) => sectionItem(link, link === current))}</ul></div>\n`)}</details>
</nav>
<div>
${body}
</div>
</div>`
}

const sectionItem = ({ href, label, count, icon: name }: NavLink, isCurrent: boolean): Markup =>
  html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${name && icon(name)}${label}${count ? html` <span class="badge">${count > 999 ? '999+' : count}<span class="visually-hidden"> waiting</span></span>` : ''}</a></li>\n`

/** Whether the path is the address `href` or below it. */
const isWithin = (path: string | undefined, href: string): boolean => {
  const [place = href] = href.split('?')
  return path !== undefined && (path === place || path.startsWith(`${place}/`))
}

const openGraph = (name: string, url: string, title: string, description: string, picture: string | null) =>
  html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${picture && html`<meta property="og:image" content="${picture}">\n${isDrawn(picture) && html`<meta property="og:image:width" content="1200">\n<meta property="og:image:height" content="630">\n`}<meta property="og:image:alt" content="${title} – ${name}">\n`}<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">`

/** Whether this service draws the picture, with 1,200 by 630 pixels. A picture that the operator has stored may have another size. */
const isDrawn = (picture: string): boolean => parseUrl(picture)?.pathname.startsWith('/share/') ?? false
