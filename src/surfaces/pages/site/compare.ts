// Up to four tools side by side, at an address that can be shared. A row whose values differ is marked, and so is the best value.
import type { Tool } from '../../../features/catalog/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { linkButton } from '../kit/button.ts'
import { emptyState, tile } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { choice } from '../kit/field.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { type AddressQuery, COMPARE, compareAddress, MOST_COMPARED_TOOLS } from '../kit/site-addresses.ts'
import { date, number } from '../kit/values.ts'
import { pricingBadge } from './entries.ts'
import { amount, isFilled } from './listing.ts'
import { PRICING_LABELS } from './reasons.ts'
import { findTool, slugsIn } from './slug-lists.ts'

/** More than are compared, so that the page can say that some were left out. */
const MOST_ASKED = 20

export function comparePage(ctx: Context, query: AddressQuery): Page {
  const asked = slugsIn(query, 'tools', MOST_ASKED)
  const tools = asked.flatMap((slug) => findTool(ctx, slug) ?? []).slice(0, MOST_COMPARED_TOOLS)
  const names = tools.map(({ name }) => oneLine(name, 40))
  return {
    title: names.length > 1 ? `${names.join(' or ')}` : 'Compare tools',
    description:
      names.length > 1
        ? `${names.join(', ')} side by side: price, rating, features and what differs.`
        : 'Compare up to four AI tools side by side.',
    path: COMPARE,
    body: html`<div class="flow">
<h1>${names.length > 1 ? html`<bdi>${names.join(', ')}</bdi>` : 'Compare tools'}</h1>
${
  tools.length === 0
    ? emptyState({
        title: 'Nothing to compare yet',
        text: 'Choose two to four tools in a list and press Compare.',
        action: linkButton('/tools', 'Browse tools'),
      })
    : comparison(tools)
}
${asked.length > tools.length && html`<p class="note">${asked.length > MOST_COMPARED_TOOLS ? `At most ${MOST_COMPARED_TOOLS} tools are compared at once.` : 'A tool that is not listed was left out.'}</p>`}
</div>`,
  }
}

interface Row {
  label: string
  /** As text, to tell whether tools differ. */
  value: (tool: Tool) => string
  show?: (tool: Tool) => Markup | string
  /** The highest number is marked as the best. */
  best?: (tool: Tool) => number
}

const ROWS: readonly Row[] = [
  { label: 'Pricing', value: ({ pricing }) => PRICING_LABELS[pricing], show: (tool) => pricingBadge(tool) },
  { label: 'Category', value: ({ category }) => category?.name ?? '' },
  {
    label: 'Rating',
    value: ({ rating }) => (rating > 0 ? `${number(rating)} of 5` : ''),
    best: ({ rating }) => rating,
  },
  { label: 'Opened', value: ({ opens }) => amount(opens, 'time', 'times'), best: ({ opens }) => opens },
  {
    label: 'Domain Rating',
    value: ({ domainRating }) => (domainRating === null ? '' : number(domainRating)),
    best: ({ domainRating }) => domainRating ?? -1,
  },
  { label: 'Tags', value: ({ tags }) => tags.map(({ name }) => name).join(', ') },
  { label: 'Features', value: ({ features }) => Object.keys(features).join(', ') },
  { label: 'Discount', value: ({ discountCode }) => discountCode },
  { label: 'Affiliate program', value: ({ affiliate }) => (affiliate ? 'Yes' : 'No') },
  { label: 'Founder', value: ({ founderName }) => founderName ?? '' },
  { label: 'Location', value: ({ location }) => location ?? '' },
  {
    label: 'Listed',
    value: ({ createdAt }) => String(createdAt).slice(0, 10),
    show: ({ createdAt }) => date(createdAt) ?? '',
  },
]

function comparison(tools: readonly Tool[]): Markup {
  const rows = ROWS.filter((row) => tools.some((tool) => isFilled(row.value(tool))))
  return html`<div class="cmp of-${tools.length} flow">
${tools.length > 1 && choice({ name: 'differences', id: 'only-differences', label: 'Only what differs' })}
<section class="table compared" aria-label="Comparison" tabindex="0"><table>
<caption class="visually-hidden">Tools side by side</caption>
<thead><tr><th scope="col"><span class="visually-hidden">What</span></th>${tools.map((tool) => columnHead(tool, tools))}</tr></thead>
<tbody>
${rows.map((row) => comparedRow(row, tools))}</tbody>
</table></section></div>`
}

const columnHead = (tool: Tool, tools: readonly Tool[]): Markup => {
  const others = tools.filter((other) => other !== tool).map(({ slug }) => slug)
  return html`<th scope="col"><span class="who">${tile(tool.name, tool.icon, { of: tool.category?.slug })}<a href="/tools/${tool.slug}"><bdi>${oneLine(tool.name, 40)}</bdi></a>${others.length > 0 && html`<a class="drop" href="${compareAddress(others)}" aria-label="Leave out ${oneLine(tool.name, 40)}">${icon('close', 'small')}</a>`}</span><p dir="auto">${oneLine(tool.tagline, 90)}</p></th>`
}

function comparedRow({ label, value, show, best }: Row, tools: readonly Tool[]): Markup {
  const values = tools.map(value)
  const differs = new Set(values).size > 1
  const highest = best && differs ? Math.max(...tools.map(best)) : null
  return html`<tr class="${differs ? 'differs' : 'same'}"><th scope="row">${label}${differs && html`<span class="visually-hidden"> (differs)</span>`}</th>${tools.map(
    (tool, at) => {
      const text = values[at] ?? ''
      const shown = isFilled(text)
        ? (show?.(tool) ?? html`<bdi>${oneLine(text, 300)}</bdi>`)
        : html`<span class="dash">–</span>`
      const isBest = highest !== null && highest > 0 && best?.(tool) === highest
      return html`<td>${isBest ? html`<mark>${shown}<span class="visually-hidden"> (highest)</span></mark>` : shown}</td>`
    },
  )}</tr>\n`
}
