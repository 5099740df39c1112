// The page links of a list whose number of entries is known. Other lists have only previous and next, see `paged-lists.ts`.
import { html, type Markup } from '../markup.ts'
import { number } from '../values.ts'

export interface Pager {
  page: number
  pages: number
  /** With `total`: how many entries a page has. */
  limit?: number
  /** How many entries all pages have. */
  total?: number
  href: (page: number) => string
  /** What the pages contain, for screen readers: "Results". */
  label?: string
}

/** The page links; null for a single page. On a page past the end, Previous leads to the last page that exists. */
export function pager({ page, pages, limit = 0, total = 0, href, label = 'Pages' }: Pager): Markup | null {
  if (pages <= 1 && page <= 1) return null
  const previous = Math.min(page - 1, pages)
  return html`<nav class="pager" aria-label="${label}">
<ul>
${previous >= 1 && html`<li><a href="${href(previous)}" rel="prev" aria-label="Previous page">Previous</a></li>\n`}${shownPages(page, pages).map((at) => (at === null ? html`<li><span class="skipped">…</span></li>\n` : at === page ? html`<li><span class="here" aria-current="page"><span class="visually-hidden">Page </span>${at}</span></li>\n` : html`<li><a href="${href(at)}"><span class="visually-hidden">Page </span>${at}</a></li>\n`))}${page < pages && html`<li><a href="${href(page + 1)}" rel="next" aria-label="Next page">Next</a></li>\n`}</ul>
<span class="quiet small">${page * limit - limit < total ? `${number(page * limit - limit + 1)}–${number(Math.min(page * limit, total))} of ${number(total)}` : `Page ${page} of ${Math.max(pages, 1)}`}</span>
</nav>`
}

/** The numbers of the linked pages: the first, the last and those around the current one. null stands for pages that are left out. */
export function shownPages(page: number, pages: number): (number | null)[] {
  const candidates = [1, page - 1, page, page + 1, pages].filter((at) => at >= 1 && at <= pages)
  const sorted = [...new Set(candidates)].sort((a, b) => a - b)
  return sorted.flatMap((at, i) => {
    const gap = at - (sorted[i - 1] ?? 0)
    // A single missing page needs no more room than the dots, so it is shown.
    if (gap === 2) return [at - 1, at]
    return gap > 2 ? [null, at] : [at]
  })
}
