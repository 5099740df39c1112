// The page of all categories, and the page of all tags.
import type { Context } from '../../../../kernel/context.ts'
import { linkButton } from '../../kit/button.ts'
import { breadcrumbs, emptyState } from '../../kit/components.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount, number } from '../../kit/values.ts'
import { mostUsed, type PublicTerm, publicCategories, publicTags, topTools } from '../catalog-reads.ts'
import { chips } from '../entries.ts'
import { categoryMark } from './category-looks.ts'

export function termsPage(ctx: Context, kind: 'category' | 'tag'): Page {
  const isCategory = kind === 'category'
  const terms = isCategory ? publicCategories(ctx) : publicTags(ctx)
  const folder = isCategory ? '/categories' : '/tags'
  const title = isCategory ? 'AI tool categories' : 'AI tool tags'
  return {
    title,
    description: isCategory
      ? 'Every category of AI tools, with the number of tools in it.'
      : 'Every tag of AI tools, with the number of tools that carry it.',
    url: ctx.publicUrl + folder,
    path: '/tools',
    body: html`${breadcrumbs([{ label: 'Tools', href: '/tools' }, { label: isCategory ? 'Categories' : 'Tags' }])}
<div class="flow">
<h1>${title}</h1>
${
  terms.length === 0
    ? emptyState({
        title: isCategory ? 'No categories yet' : 'No tags yet',
        action: linkButton('/tools', 'Browse tools'),
      })
    : isCategory
      ? categoryEntries(ctx, terms)
      : tagLists(terms)
}
</div>`,
  }
}

const MOST_USED_TAGS = 6

const tagLists = (terms: readonly PublicTerm[]): Markup => {
  const links = (list: readonly PublicTerm[]) =>
    chips(list.map((term) => ({ href: `/tags/${term.slug}`, label: term.name, count: term.toolsCount })))
  if (terms.length <= MOST_USED_TAGS) return links(terms)
  return html`<p class="lead">${number(terms.length)} tags; these are used most:</p>
${links(mostUsed(terms, MOST_USED_TAGS))}
<h2>From A to Z</h2>
${links(terms)}`
}

/** How many of the most opened tools of each category are named. */
const NAMED_TOOLS_PER_CATEGORY = 3

/** Categories with their description, the number of their tools and the most opened ones. */
const categoryEntries = (ctx: Context, terms: readonly PublicTerm[]): Markup =>
  html`<ul class="${terms.some(({ description = '' }) => isFilled(description)) ? 'entries columns' : 'entries grid'}">
${terms.map(({ slug, name, description = '', toolsCount }) => {
  const topNamed = topTools(ctx, NAMED_TOOLS_PER_CATEGORY, slug).filter(({ opens }) => opens > 0)
  return html`<li class="entry">${categoryMark(slug)}<h2><a href="/categories/${slug}"><bdi>${oneLine(name, 60)}</bdi></a></h2>
${isFilled(description) && html`<p dir="auto">${oneLine(description, 160)}</p>`}
<ul class="marks"><li><span>${amount(toolsCount, 'tool', 'tools')}${topNamed.length > 0 && html`<br>Most opened: <bdi>${topNamed.map((tool) => oneLine(tool.name, 30)).join(', ')}</bdi>`}</span></li></ul></li>\n`
})}</ul>`
