// Reads what the pages of single listings show, and the page of the alternatives to a tool. A page is shown without what comes from the
// database while the database is down.
import { endedOf } from '../../../../features/catalog/reads.ts'
import type { ListedKind } from '../../../../features/catalog/schema.ts'
import { ratingRank, readSubmissionForm } from '../../../../features/catalog/site/browse.ts'
import { isAdultTool, similarDirectories, similarTools } from '../../../../features/catalog/site/similar.ts'
import { browseDirectories } from '../../../../features/catalog/site/site-search.ts'
import { readHealth } from '../../../../features/health/operations.ts'
import { readEvidence } from '../../../../features/plan/evidence/evidence.operations.ts'
import { evidenceSentence } from '../../../../features/plan/evidence/evidence.rules.ts'
import type { Context } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { linkButton } from '../../kit/button.ts'
import { breadcrumbJsonLd, breadcrumbs, type Crumb, emptyState } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { type AddressQuery, queryText } from '../../kit/lists/address-query.ts'
import { html, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount } from '../../kit/values.ts'
import { findTool, listedDirectory, listedTool, mostUsed, publicCategories } from '../catalog-reads.ts'
import { compareAddress, MOST_COMPARED_TOOLS } from '../chosen/compare.ts'
import { toolRows } from '../entries.ts'
import { compareForm } from '../lists/tools.ts'
import { directoryPage } from './directory.ts'
import { shareMenu } from './listing.ts'
import { shareAddress } from './share-images.ts'
import { likeness, sharedTags, toolPage } from './tool.ts'

/** How many categories the page of a tool shows when no tool is similar. */
const CATEGORIES_SHOWN = 12

/** The page of a tool. For an adult tool it asks the visitor first. */
export async function listedToolPage(ctx: Context, slug: string, query: AddressQuery): Promise<Page> {
  const snapshot = ctx.catalog.snapshot()
  const tool = listedTool(ctx, slug)
  const adult = isAdultTool(tool, snapshot)
  if (adult && queryText(query, 'adult') !== 'true') return adultConfirmationPage(`/tools/${tool.slug}`)
  const similar = similarTools(snapshot, tool, { adult })
  const page = toolPage(tool, {
    adult,
    similar,
    categories: similar.length > 0 ? [] : mostUsed(publicCategories(ctx), CATEGORIES_SHOWN),
    isClaimable: ctx.founders.mode !== 'off',
    health: await healthOrNull(ctx, 'tool', slug),
    currency: ctx.site.fields().currency,
  })
  return adult ? page : { ...page, share: shareAddress({ kind: 'tool', listing: tool }, ctx.site.fields()) }
}

/**
 * Asks for confirmation before an adult listing, of which it reveals nothing. The answer is part of the address, so no cookie is needed and
 * caches can keep the pages.
 */
const adultConfirmationPage = (path: string): Page => ({
  title: 'Adults only',
  description: 'This listing is for adults.',
  adult: true,
  body: html`<div class="flow prose">
<p class="label">18+</p>
<h1>Adults only</h1>
<p class="lead">This listing is marked as adult content. It is shown only to those who ask for it.</p>
<div class="row">${linkButton(`${path}?adult=true`, 'I am an adult, show it', { rel: 'nofollow' })}${linkButton('/tools', 'Return to the tools', { kind: 'plain' })}</div>
</div>`,
})

/** How many directories the page of a directory shows when none is similar. */
const STRONGEST_SHOWN = 6

export async function listedDirectoryPage(ctx: Context, slug: string): Promise<Page> {
  const snapshot = ctx.catalog.snapshot()
  const listing = listedDirectory(ctx, slug)
  const evidence = await readEvidence(ctx, listing.id).then(evidenceSentence, () => null)
  const similar = similarDirectories(snapshot, listing)
  const strongest = similar.length > 0 ? [] : (await browseDirectories(ctx, { page: 1, limit: 20 })).listings
  const page = directoryPage(listing, {
    similar,
    strongest: strongest
      .filter((one) => one.slug !== slug && !endedOf(snapshot.directories, one.slug))
      .slice(0, STRONGEST_SHOWN),
    evidence,
    rank: ratingRank(snapshot, listing),
    currency: ctx.site.fields().currency,
    health: await healthOrNull(ctx, 'directory', slug),
    submissionForm: await readSubmissionForm(ctx, listing.id).catch(() => null),
  })
  return { ...page, share: shareAddress({ kind: 'directory', listing }, ctx.site.fields()) }
}

const healthOrNull = (ctx: Context, kind: ListedKind, slug: string) => readHealth(ctx, kind, slug).catch(() => null)

const MOST_ALTERNATIVES = 20

/** The page of the tools that can take the place of another one. */
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
