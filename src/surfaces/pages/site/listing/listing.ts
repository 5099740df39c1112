// The parts of tool and directory pages. Texts of listings may be in any script, so each is isolated: text that runs from right to
// left, or pretends to, must not reorder the text around it.
import type { TObject } from 'typebox'
import { NETWORKS } from '../../../../features/catalog/known-hosts/networks.rules.ts'
import { playerAddress } from '../../../../features/catalog/known-hosts/videos.rules.ts'
import { type ListedKind, TOPIC } from '../../../../features/catalog/schema.ts'
import type { Health } from '../../../../features/health/operations.ts'
import { isEnded } from '../../../../features/health/rules.ts'
import { pictureAddress, webAddress } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, copyableValue, plate, tile } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import { brokenAtDots, date, fieldLabel, number } from '../../kit/values.ts'

/**
 * The head of a listing's page: logo, name, tagline, marks and actions. `path` is the address of the page. For administrators the script
 * adds a link to the listing's form in the console, because the page itself is the same for every visitor. A listing without a picture
 * has its logo on a plate.
 */
export const heading = (
  path: string,
  { name, icon }: { name: string; icon: string | null },
  tagline: string | null,
  marks: readonly unknown[],
  actions: Markup,
  { isPlate = false }: { isPlate?: boolean } = {},
): Markup =>
  html`<header class="${isPlate ? 'tool-head plated' : 'tool-head'}">
${isPlate ? plate(name, icon) : tile(name, icon, { big: true })}
<div><h1 dir="auto">${name}</h1>
${isFilled(tagline) && html`<p class="lead" dir="auto">${tagline}</p>`}
<ul class="marks">${marks.filter(Boolean).map((mark) => html`<li>${mark}</li>`)}</ul></div>
<div class="acts" data-listing="${path}">${actions}</div>
</header>`

/** The complete address of a stored logo, for search engines. */
export function completePicture({ icon, url }: { icon: string | null; url: string }): string | undefined {
  const path = pictureAddress(icon)
  return path === null ? undefined : new URL(path, url).href
}

export const paragraphs = (value: string | null): Markup[] =>
  (value ?? '')
    .split(/\n\s*\n/)
    .filter(isFilled)
    .map((paragraph) => html`<p class="text" dir="auto">${paragraph.trim()}</p>`)

export function gallery(name: string, main: string | null, screenshots: readonly string[]): Markup | null {
  const described = [
    [main, `${name}, main picture`] as const,
    ...screenshots.map((source, i) => [source, `${name}, screenshot ${i + 1}`] as const),
  ]
  const shown = described.flatMap(([source, description]) => {
    const address = pictureAddress(source)
    return address === null ? [] : { address, description }
  })
  return shown.length === 0
    ? null
    : html`<section id="pictures" aria-label="Pictures of ${name}"><ul class="gallery">${shown.map((one, at) => html`<li id="picture-${at + 1}"><a href="#picture-${at + 1}" aria-label="Open: ${one.description}">${picture(one, at === 0)}</a>${viewerLinks(at, shown.length)}</li>\n`)}</ul></section>`
}

/** The links under an open picture. The picture that the fragment of the address names is open, so no script is needed. */
const viewerLinks = (at: number, count: number): Markup =>
  html`<p class="viewer">${at > 0 && html`<a class="button plain" href="#picture-${at}">Previous</a>`}<span>${at + 1} of ${count}</span>${at + 1 < count && html`<a class="button plain" href="#picture-${at + 2}">Next</a>`}<a class="button" href="#pictures">Close</a></p>`

/** The browser loads the first picture with priority, because it is visible at once and mostly the largest part of the page. */
const picture = ({ address, description }: { address: string; description: string }, isFirst: boolean): Markup =>
  html`<img class="picture" src="${address}" alt="${description}" width="800" height="500" ${isFirst ? html`fetchpriority="high"` : html`loading="lazy"`}>`

interface ListingWithVideo {
  name: string
  icon: string | null
  video: string | null
  screenshots: readonly string[]
}

/**
 * The browser contacts the host of the video only after the click; without the script, the click opens the host's page. Until then the page
 * shows the first screenshot or the tile of the listing, because loading a picture from the host would tell it about every visitor.
 */
export const video = ({ name, icon, video: source, screenshots }: ListingWithVideo): Markup | null => {
  const address = webAddress(source)
  if (!address) return null
  const [screenshot] = screenshots.flatMap((one) => pictureAddress(one) ?? [])
  const embed = playerAddress(source)
  const { host } = new URL(embed ?? address)
  return html`<h2>Video</h2>
<div class="video"><a class="poster${screenshot ? '' : ' drawn'}" href="${address}" rel="nofollow noopener"${embed && html` data-embed="${embed}" data-title="Video about ${name}"`}>${screenshot ? html`<img class="picture" src="${screenshot}" alt="" width="800" height="450" loading="lazy">` : tile(name, icon, { big: true })}<span class="button">${embed ? 'Play video' : 'Watch video'}</span></a><span class="note">${embed ? html`Loads from ${host} when you press play.` : html`Opens ${host}.`}</span></div>`
}

export const deal = (title: string, offer: string, code: string): Markup | null =>
  isFilled(offer) || isFilled(code)
    ? html`<section class="card accent"><h2>${title}</h2>${isFilled(offer) && html`<p dir="auto">${offer}</p>`}${isFilled(code) && html`<p>${copyableValue(code, 'Copy code')}</p>`}</section>`
    : null

/** A notice for a product that has ended or has a successor: when that was found, and what to use instead; `next` where nothing is known. */
export function healthNotice(
  kind: ListedKind,
  name: string,
  health: Health | null,
  next = { href: `/${TOPIC[kind]}`, label: `Browse ${TOPIC[kind]}` },
): Markup | null {
  if (!health || !(isEnded(health.state) || health.successor)) return null
  const { state, since, checkedAt, successor, alternatives } = health
  const pathOf = ({ slug }: { slug: string }) => `/${TOPIC[kind]}/${slug}`
  return html`<section class="${isEnded(state) ? 'card gone' : 'card'}" aria-label="Whether it is still there">
${
  isEnded(state) &&
  html`<p><strong><bdi>${name}</bdi> is gone.</strong> ${state === 'gone' ? 'Its website no longer exists' : 'Its domain is parked or for sale'}${since && html`, found on ${date(since)}`}${checkedAt && html` and last looked at on ${date(checkedAt)}`}.</p>`
}
${successor && html`<p>${linkButton(pathOf(successor), html`<span>Use <bdi>${oneLine(successor.name, 40)}</bdi> instead</span>`)}</p>`}
${!successor && alternatives.length > 0 && html`<p>Similar ones that are there:</p><ul class="listed">${alternatives.map((one) => html`<li><a href="${pathOf(one)}"><bdi>${one.name}</bdi></a></li>\n`)}</ul>`}
${isEnded(state) && !successor && alternatives.length === 0 && html`<p>${linkButton(next.href, next.label)}</p>`}</section>`
}

/** The mark of a product that has ended, beside its price. */
export const goneBadge = (health: Health | null): Markup | false =>
  health !== null && isEnded(health.state) && badge('Gone', 'danger')

/** When the website of the listing was last seen; the value is null while that is not known. */
export const healthFact = (health: Health | null): Fact => [
  'Website seen',
  health?.state === 'alive' && health.checkedAt ? date(health.checkedAt) : null,
]

/** The link to the form on which visitors report what is wrong. */
export const reportLink = (kind: ListedKind, slug: string): Markup =>
  html`<p class="small">Something wrong here? <a href="/${TOPIC[kind]}/${slug}/report" rel="nofollow">Suggest a correction</a></p>`

export type Fact = readonly [label: string, value: Markup | string | null]

/** The panel of facts; those without a value are left out. */
export const facts = (rows: readonly Fact[]): Markup => html`<section class="panel"><h2>At a glance</h2>
<dl class="facts">
${rows
  .filter(([, value]) => value !== null && value !== '')
  .map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${typeof value === 'string' ? html`<bdi>${value}</bdi>` : value}</dd></div>\n`,
  )}</dl></section>`

/** The fields that have no place of their own on the page, as facts: the page of a listing shows every field that the API returns. */
export const otherFacts = <T extends object>(schema: TObject, listing: T, placed: ReadonlySet<keyof T>): Fact[] =>
  Object.keys(schema.properties)
    .filter((name) => !placed.has(name as keyof T))
    .map((name) => [fieldLabel(name), asText(listing[name as keyof T])])

function asText(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(', ')
  return typeof value === 'string' ? value : null
}

// A list of a megabyte would keep the thread busy for a tenth of a second, and no visitor reads that much.
const MOST_CHARACTERS = 50_000

/** A list under its heading, without the items after `MOST_CHARACTERS`; null when there are no items. */
function cappedList<T>(
  title: string,
  items: readonly T[],
  textOf: (item: T) => string,
  markup: (shown: T[]) => Markup,
) {
  if (items.length === 0) return null
  let characters = 0
  const shown = items.filter((item) => (characters += textOf(item).length) <= MOST_CHARACTERS)
  const notShown = items.length - shown.length
  return html`<h2>${title}</h2>
${markup(shown)}${notShown > 0 && html`<p class="hint">The API has ${number(notShown)} more.</p>`}`
}

export const definitionList = (title: string, entries: readonly (readonly [string, string])[]): Markup | null =>
  cappedList(
    title,
    entries.filter(([term]) => isFilled(term)),
    ([term, explanation]) => `${term} ${explanation}`,
    (shown) => html`<dl class="feats">
${shown.map(([term, explanation]) => html`<div><dt dir="auto">${term}</dt><dd class="text" dir="auto">${explanation}</dd></div>\n`)}</dl>`,
  )

export const questions = (items: readonly { question: string; answer: string }[]): Markup | null =>
  cappedList(
    'Questions and answers',
    items.filter(({ question }) => isFilled(question)),
    ({ question, answer }) => `${question} ${answer}`,
    (shown) => html`<div class="questions">
${shown.map(({ question, answer }, i) => html`<details${i === 0 && html` open`}><summary dir="auto">${question}</summary><p class="text" dir="auto">${answer}</p></details>\n`)}</div>`,
  )

export const bulletList = (title: string, items: readonly string[]): Markup | null =>
  cappedList(
    title,
    items.filter(isFilled),
    (item) => item,
    (shown) => html`<ul class="listed">
${shown.map((item) => html`<li dir="auto">${item}</li>\n`)}</ul>`,
  )

/** External links, each with its host, because a label may claim another host. Addresses that may not be linked are left out. */
export const externalLinks = (
  title: string,
  targets: readonly (readonly [label: string, address: string | null])[],
): Markup | null => {
  const items = targets.flatMap(([label, target]) => {
    const address = webAddress(target)
    if (!address) return []
    const { host } = new URL(address)
    return [
      html`<li><a href="${address}" rel="nofollow noopener"><bdi>${isFilled(label) ? (NETWORKS[label.toLowerCase()]?.label ?? label) : host}</bdi></a><span class="note"><bdi>${host}</bdi></span></li>\n`,
    ]
  })
  return items.length === 0
    ? null
    : html`<section class="panel"><h2>${title}</h2>\n<ul class="links">\n${items}</ul></section>`
}

/** The addresses of social profiles that may be linked. */
export const profiles = (socials: Readonly<Record<string, string>>): string[] =>
  Object.values(socials).flatMap((address) => webAddress(address) ?? [])

export const yesOrNull = (value: boolean): string | null => (value ? 'Yes' : null)

/** The host of a website, as visitors know it. */
export const shownHost = (website: string | null): Markup | null => {
  const address = webAddress(website)
  return address ? html`<bdi>${brokenAtDots(new URL(address).host.replace(/^www\./, ''))}</bdi>` : null
}

/**
 * The share button of a page. It opens the address to copy, and links that send it by mail or post it. Nothing is loaded from other sites.
 * `title`: the subject or text of the message with the address.
 */
export function shareMenu(address: string, title: string): Markup {
  const [url, text] = [address, oneLine(title, 120).toWellFormed()].map(encodeURIComponent)
  const targets = [
    ['E-mail', `mailto:?subject=${text}&body=${url}`],
    ['LinkedIn', `https://www.linkedin.com/sharing/share-offsite/?url=${url}`],
    ['X', `https://x.com/intent/post?url=${url}&text=${text}`],
  ] as const
  return html`<details class="share"><summary class="button plain">${icon('link')}Share</summary><div class="panel"><p class="small">${copyableValue(address, 'Copy the address of this page')}</p><ul class="chips">${targets.map(([label, href]) => html`<li><a href="${href}" rel="nofollow noopener">${label}</a></li>`)}</ul></div></details>`
}
