// The page of the tools that can take the place of another one.
import { similarTools } from '../../../../features/catalog/site/similar.ts'
import type { Context } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { linkButton } from '../../kit/button.ts'
import { breadcrumbJsonLd, breadcrumbs, type Crumb, emptyState } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount } from '../../kit/values.ts'
import { compareAddress, MOST_COMPARED_TOOLS } from '../chosen/compare.ts'
import { findTool } from '../chosen/slug-lists.ts'
import { toolRows } from '../entries.ts'
import { compareForm } from '../lists/tools.ts'
import { shareMenu } from './share-menu.ts'
import { likeness, sharedTags } from './tool.ts'

const MOST_ALTERNATIVES = 20

export function alternativesPage(ctx: Context, slug: string): Page {
  const tool = findTool(ctx, slug)
  if (!tool) throw notFound('Tool')
  const similar = similarTools(ctx.catalog.snapshot(), tool, { adult: false, limit: MOST_ALTERNATIVES })
  const name = oneLine(tool.name, 60)
  const url = `${tool.url}/alternatives`
  const crumbs: Crumb[] = [
    { label: 'Tools', href: '/tools' },
    { label: name, href: `/tools/${tool.slug}` },
    { label: 'Alternatives' },
  ]
  const sharedTexts = new Set(similar.map((other) => sharedTags(tool, other)))
  // If all share the same tags, the page says so once, above the list.
  const [shared] = sharedTexts.size === 1 ? sharedTexts : []
  const compared = [tool, ...similar].slice(0, MOST_COMPARED_TOOLS)
  return {
    title: `Alternatives to ${name}`,
    description: `${amount(similar.length, 'tool', 'tools')} like ${name}, with price and rating: ${similar.map((one) => one.name).join(', ')}.`,
    url: similar.length > 0 ? url : undefined,
    path: '/tools',
    facts: breadcrumbJsonLd(ctx.publicUrl, crumbs),
    body: html`${breadcrumbs(crumbs)}
<div class="flow">
<h1>Alternatives to <bdi>${name}</bdi></h1>
<p class="lead">${tool.category ? html`Tools for <a href="/categories/${tool.category.slug}"><bdi>${tool.category.name}</bdi></a>: those` : 'Those'} that have the most in common with <a href="/tools/${tool.slug}"><bdi>${name}</bdi></a> come first.${shared && html` All share: <bdi>${oneLine(shared, 100)}</bdi>.`}</p>
${
  similar.length === 0
    ? emptyState({ title: 'No alternatives yet', action: linkButton('/tools', 'Browse tools') })
    : html`<section class="flow"><div class="row apart"><h2>${amount(similar.length, 'alternative', 'alternatives')}</h2><div class="row">${linkButton(compareAddress(compared.map((one) => one.slug)), html`${icon('columns')}Compare with the first ${compared.length - 1}`, { kind: 'plain' })}${shareMenu(url, `Alternatives to ${name}`)}</div></div>
${compareForm(toolRows(similar, { picks: true, now: ctx.now(), isAlone: true, note: shared ? undefined : (other) => likeness(tool, other) }))}</section>`
}
</div>`,
  }
}
