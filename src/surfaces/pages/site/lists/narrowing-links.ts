// Filters that would narrow a result, each with the number of listings that it leaves. They lead to the pages of tools and directories.
import type { Taxonomy } from '../../../../features/catalog/rules.ts'
import { PRICING_LABELS, USUAL_LINK_TYPES } from '../../../../features/catalog/schema.ts'
import type { Browsed } from '../../../../features/catalog/site/site-search.ts'
import type { Context } from '../../../../kernel/context.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'
import { countedLinks } from '../search/understood.ts'

interface Narrowing {
  filter: string
  /** The name of the fact in a question, where it differs from the name of the filter. */
  stated?: string
  label: (value: string, taxonomy: Taxonomy) => string | undefined
}

const PRICES: Readonly<Record<string, string>> = PRICING_LABELS

const NARROWINGS: Readonly<Record<'tools' | 'directories', readonly Narrowing[]>> = {
  tools: [
    { filter: 'pricing', label: (value) => PRICES[value] },
    { filter: 'minRating', label: (value) => (value === '4' ? 'Rated 4 or more' : undefined) },
    { filter: 'category', label: (value, { categories }) => categories.get(value)?.name },
  ],
  directories: [
    { filter: 'cost', label: (value) => value },
    { filter: 'type', label: (value) => USUAL_LINK_TYPES.find((type) => type.toLowerCase() === value) },
    { filter: 'badge', label: (value) => (value === 'none' ? 'No badge required' : undefined) },
    { filter: 'rating', stated: 'minDomainRating', label: (value) => (value === '50' ? 'DR 50 and more' : undefined) },
    { filter: 'category', label: (value, { directoryCategories }) => directoryCategories.get(value)?.name },
  ],
}

const MOST_OF_ONE_FILTER = 3
const MOST_SHOWN = 7

/** Without the filters that the question states already, and without values that every listing or none has; null when no filter is left. */
export function narrowingLinks(
  ctx: Context,
  catalog: 'tools' | 'directories',
  q: string,
  { counts, pagination, stated }: Browsed<unknown>,
): Markup | null {
  const { taxonomy } = ctx.catalog.snapshot()
  const said = new Set(stated.flatMap(({ pairs }) => pairs.map((pair) => pair.filter)))
  const links = NARROWINGS[catalog]
    .filter(({ filter, stated = filter }) => !said.has(stated))
    .flatMap(({ filter, label }) =>
      Object.entries(counts[filter] ?? {})
        .filter(([, count]) => count < pagination.total)
        .sort(([, a], [, b]) => b - a)
        .flatMap(([value, count]) => {
          const text = label(value, taxonomy)
          const href = addressWith(`/${catalog}`, { q, [filter]: value })
          return text === undefined
            ? []
            : html`<li><a href="${href}"><bdi>${oneLine(text, 40)}</bdi><span class="count">${number(count)}</span></a></li>\n`
        })
        .slice(0, MOST_OF_ONE_FILTER),
    )
    .slice(0, MOST_SHOWN)
  return links.length > 0 ? countedLinks('Narrow it down', links) : null
}
