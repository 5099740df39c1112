// Up to four tools side by side, at an address that can be shared. A row whose values differ is marked, and so is the best value.
import { PRICING_LABELS, type Tool } from '../../../../features/catalog/schema.ts'
import { similarTools } from '../../../../features/catalog/site/similar.ts'
import type { Context } from '../../../../kernel/context.ts'
import { webAddress } from '../../addresses.ts'
import { button, linkButton } from '../../kit/button.ts'
import { breadcrumbs, sectionHead, tile } from '../../kit/components.ts'
import { choice, hiddenField, select } from '../../kit/forms/field.ts'
import { icon } from '../../kit/icon.ts'
import type { AddressQuery } from '../../kit/lists/address-query.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount, number, shortDay } from '../../kit/values.ts'
import { findTool, slugsIn, topTools } from '../catalog-reads.ts'
import { addToolLines, havePictures, lineOf, pricingBadge, toolCover } from '../entries.ts'
import { shareMenu } from '../listing/listing.ts'

export const COMPARE = '/compare'

export const compareAddress = (slugs: readonly string[]): string => `${COMPARE}?tools=${slugs.join(',')}`

export const MOST_COMPARED_TOOLS = 4
/** How many slugs are read: more than are compared, so that the page can say that some were left out. */
const MOST_ASKED = 20

export function comparePage(ctx: Context, query: AddressQuery): Page {
  const asked = slugsIn(query, 'tools', MOST_ASKED)
  const tools = asked.flatMap((slug) => findTool(ctx, slug) ?? []).slice(0, MOST_COMPARED_TOOLS)
  const names = tools.map(({ name }) => oneLine(name, 40))
  const title = names.length > 1 ? `${listOfNames.format(names)} compared` : 'Compare tools'
  const address = ctx.publicUrl + compareAddress(tools.map(({ slug }) => slug))
  return {
    title,
    description:
      names.length > 1
        ? `${names.join(', ')} side by side: price, rating, features and what differs.`
        : 'Compare up to four AI tools side by side.',
    path: COMPARE,
    body: html`${breadcrumbs([{ label: 'Tools', href: '/tools' }, { label: 'Compare' }])}
<div class="flow">
<div class="row apart cmp-head"><h1><bdi>${names.length > 1 ? `${listOfNames.format(names.map(unbroken))} compared` : title}</bdi></h1>${names.length > 1 && shareMenu(address, title)}</div>
${asked.length > tools.length && html`<p class="note">${asked.length > MOST_COMPARED_TOOLS ? `At most ${MOST_COMPARED_TOOLS} tools are compared at once.` : 'A tool that is not listed was left out.'}</p>`}
${
  tools.length === 0
    ? html`<p class="lead">Nothing to compare yet. Choose two to four tools in a list and press Compare.</p>
<p>${linkButton('/tools', 'Browse tools', { kind: 'plain' })}</p>
${mostOpened(ctx)}`
    : html`${comparison(tools)}
${moreTools(ctx, tools)}`
}
</div>`,
  }
}

/** A short name stays in one line. */
const unbroken = (name: string): string => (name.length > 16 ? name : name.replaceAll(' ', '\u00a0'))

const listOfNames = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** How many tools are offered to add, and how many of them are shown. */
const MOST_OFFERED = 20
const MOST_SHOWN = 6
const MOST_BEGUN_WITH = 6

const mostOpened = (ctx: Context): Markup | false => {
  const tools = topTools(ctx, MOST_BEGUN_WITH)
  return (
    tools.length > 0 &&
    html`<section class="flow duo"><div class="flow">${sectionHead('Begin with one of these')}
${addToolLines(tools, ({ slug }) => compareAddress([slug]))}</div></section>`
  )
}

/** Similar tools, each with a link that adds it to the comparison; null when the comparison is full or no tool is similar. */
function moreTools(ctx: Context, tools: readonly Tool[]): Markup | null {
  const slugs = tools.map(({ slug }) => slug)
  const alike = tools.flatMap((tool) =>
    similarTools(ctx.catalog.snapshot(), tool, { adult: false, limit: MOST_OFFERED }),
  )
  const offered = [...new Map(alike.map((tool) => [tool.slug, tool])).values()]
    .filter(({ slug }) => !slugs.includes(slug))
    .slice(0, MOST_OFFERED)
  if (tools.length >= MOST_COMPARED_TOOLS || offered.length === 0) return null
  return html`<section class="flow duo"><div class="flow">${sectionHead('Put another one beside them')}
${addToolLines(offered.slice(0, MOST_SHOWN), ({ slug }) => compareAddress([...slugs, slug]))}
${
  offered.length > MOST_SHOWN &&
  html`<form class="row" action="${COMPARE}" method="get">${slugs.map((slug) => hiddenField('tools[]', slug))}
${select({ name: 'tools[]', id: 'add', label: 'Or one of these', options: offered.slice(MOST_SHOWN).map(({ slug, name }) => ({ value: slug, label: oneLine(name, 60) })) })}${button(html`${icon('plus')}Add`, { kind: 'plain' })}</form>`
}</div></section>`
}

interface Row {
  label: Markup | string
  /** The value as text, by which tools are compared. */
  value: (tool: Tool) => string
  show?: (tool: Tool) => Markup | string
  /** The highest number is marked as the best. */
  best?: (tool: Tool) => number
  /** What the sentences above the table say of the best tool: it has … */
  superlative?: string
}

const ROWS: readonly Row[] = [
  { label: 'In one line', value: (tool) => oneLine(lineOf(tool), 160) },
  { label: 'Pricing', value: ({ pricing }) => PRICING_LABELS[pricing], show: (tool) => pricingBadge(tool) },
  { label: 'Category', value: ({ category }) => category?.name ?? '' },
  {
    label: 'Rating',
    value: ({ rating }) => (rating > 0 ? `${number(rating)} of 5` : ''),
    best: ({ rating }) => rating,
    superlative: 'the highest rating',
  },
  {
    label: 'Opened',
    value: ({ opens }) => (opens > 0 ? amount(opens, 'time', 'times') : ''),
    best: ({ opens }) => opens,
    superlative: 'the most opens',
  },
  {
    label: 'Domain Rating',
    value: ({ domainRating }) => (domainRating === null ? '' : number(domainRating)),
    best: ({ domainRating }) => domainRating ?? -1,
    superlative: 'the strongest website',
  },
  { label: 'Tags', value: ({ tags }) => tags.map(({ name }) => name).join(', ') },
  { label: 'Discount', value: ({ discountCode }) => discountCode },
  { label: 'Affiliate program', value: ({ affiliate }) => (affiliate ? 'Yes' : '') },
  { label: 'Founder', value: ({ founderName }) => founderName ?? '' },
  { label: 'Location', value: ({ location }) => location ?? '' },
  {
    label: 'Listed',
    value: ({ createdAt }) => String(createdAt).slice(0, 10),
    show: ({ createdAt }) => `${shortDay(String(createdAt))} ${String(createdAt).slice(0, 4)}`,
  },
]

/** More features than fit a page are left to the pages of the tools. */
const MOST_FEATURES = 40

function featureRows(tools: readonly Tool[]): Row[] {
  const counts = new Map<string, number>()
  for (const { features } of tools)
    for (const name of Object.keys(features)) if (isFilled(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_FEATURES)
    .map(([name]) => ({
      label: html`<bdi>${oneLine(name, 60)}</bdi>`,
      value: ({ features }) => (Object.hasOwn(features, name) ? features[name]?.trim() || 'Yes' : ''),
    }))
}

const COUNT_WORDS: Readonly<Record<number, string>> = { 2: 'Both', 3: 'All three', 4: 'All four' }

/** What the tools have in common, in a sentence; '' when it is nothing. */
function commonSentence(tools: readonly Tool[]): string {
  const [first] = tools
  if (!first || tools.length < 2) return ''
  const same = (of: (tool: Tool) => string | undefined) => tools.every((tool) => of(tool) === of(first))
  const common = [
    same(({ pricing }) => pricing) && `are ${PRICING_LABELS[first.pricing].toLowerCase()}`,
    first.category && same(({ category }) => category?.slug) && `belong to ${oneLine(first.category.name, 40)}`,
  ].filter(Boolean)
  return common.length > 0 ? `${COUNT_WORDS[tools.length]} ${common.join(' and ')}.` : ''
}

const aheadSentences = (tools: readonly Tool[]): string[] =>
  tools.flatMap((tool) => {
    const has = ROWS.flatMap(({ best, superlative }) =>
      best && superlative && tools.every((other) => other === tool || best(other) < best(tool)) ? superlative : [],
    )
    return has.length > 0 ? `${oneLine(tool.name, 40)} has ${listOfNames.format(has)}.` : []
  })

function comparison(tools: readonly Tool[]): Markup {
  const rows = ROWS.filter((row) => tools.some((tool) => isFilled(row.value(tool))))
  const features = featureRows(tools)
  const common = commonSentence(tools)
  return html`<div class="cmp of-${tools.length} flow">
<section class="table compared" aria-label="Comparison" tabindex="0"><table>
<caption class="visually-hidden">Tools side by side</caption>
<thead><tr><td></td>${tools.map((tool) => columnHead(tool, tools))}</tr></thead>
<tbody>
<tr class="looks"><th scope="row"><span class="visually-hidden">In short</span>${tools.length > 1 && html`${aheadSentences(tools).map((sentence) => html`<p>${sentence}</p>`)}${choice({ name: 'differences', id: 'only-differences', label: 'Only what differs' })}${common && html`<p class="common">${common}</p>`}`}</th>${tools.map((tool) => columnLooks(tool, tools))}</tr>
${rows.map((row) => comparedRow(row, tools))}</tbody>
${features.length > 0 && html`<tbody><tr class="group"><th scope="colgroup" colspan="${tools.length + 1}">Features</th></tr>\n${features.map((row) => comparedRow(row, tools))}</tbody>`}
</table></section>
${tools.length > 1 && html`<p class="note">A dot marks a row where the tools differ${rows.some((row) => highestOf(row, tools) > 0) && '; the highlighter marks the highest value'}.</p>`}</div>`
}

const columnHead = (tool: Tool, tools: readonly Tool[]): Markup => {
  const others = tools.filter((other) => other !== tool).map(({ slug }) => slug)
  const name = oneLine(tool.name, 40)
  return html`<th scope="col"><span class="who">${tile(tool.name, tool.icon)}<a href="/tools/${tool.slug}"><bdi>${name}</bdi></a>${others.length > 0 && html`<a class="drop" href="${compareAddress(others)}" aria-label="Leave out ${name}">${icon('close', 'small')}</a>`}</span></th>`
}

const columnLooks = (tool: Tool, tools: readonly Tool[]): Markup =>
  html`<td>${havePictures(tools) && toolCover(tool)}${webAddress(tool.website) && linkButton(`/tools/${tool.slug}/visit`, html`Visit<span class="visually-hidden"> ${oneLine(tool.name, 40)}</span>${icon('external', 'small')}`, { rel: 'nofollow noopener' })}</td>`

/** The number of the best tool, or 0 where none is better than the others. */
const highestOf = ({ value, best }: Pick<Row, 'value' | 'best'>, tools: readonly Tool[]): number =>
  best && new Set(tools.map(value)).size > 1 ? Math.max(...tools.map(best)) : 0

function comparedRow({ label, value, show, best }: Row, tools: readonly Tool[]): Markup {
  const values = tools.map(value)
  const differs = new Set(values).size > 1
  const highest = highestOf({ value, best }, tools)
  return html`<tr class="${differs ? 'differs' : 'same'}"><th scope="row">${label}${differs && html`<span class="visually-hidden"> (differs)</span>`}</th>${tools.map(
    (tool, at) => {
      const text = values[at] ?? ''
      const shown = isFilled(text)
        ? (show?.(tool) ?? html`<bdi${text === 'Yes' && html` class="yes"`}>${oneLine(text, 300)}</bdi>`)
        : html`<span class="dash">–</span>`
      const isBest = highest > 0 && best?.(tool) === highest
      return html`<td>${isBest ? html`<mark>${shown}<span class="visually-hidden"> (highest)</span></mark>` : shown}</td>`
    },
  )}</tr>\n`
}
