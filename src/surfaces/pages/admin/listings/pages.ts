// The pages of tools and directories in the console: the list, the form of a listing, its preview, and the question before it is deleted.
import type { FastifyReply } from 'fastify'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { webAddress } from '../../addresses.ts'
import { actionForm, button, linkButton } from '../../kit/button.ts'
import { badge, breadcrumbs, type Flash, tile } from '../../kit/components.ts'
import { versionField, versionValue } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { showList } from '../kit/list-pages.ts'
import { publicationBadge } from '../kit/states.ts'
import { type ListingForm, listingForm } from './form.ts'
import { type ListingKind, type StoredListing, TOOL_LISTINGS, waitsForReview } from './kinds.ts'

export const listingPath = ({ base }: ListingKind, slug: string): string => `${base}/${encodeURIComponent(slug)}`

export const showListings = (visit: Visit, kind: ListingKind): Promise<FastifyReply> =>
  showList(visit, {
    path: kind.base,
    operation: kind.operations.list,
    title: kind.title,
    heading: html`<div class="row apart"><h1>${kind.title}</h1>${linkButton(`${kind.base}/-/new`, `Add a ${kind.kind}`)}</div>`,
    // The terms come from memory, because the list is requested while the administrator types.
    load: async () => visit.ctx.catalog.snapshot().taxonomy,
    filters: {
      q: {
        label: 'Search',
        placeholder: kind.kind === 'tool' ? 'Name, slug, tagline, website, e-mail' : 'Name, slug, description, website',
      },
      published: { label: 'State', words: { true: 'Published', false: 'Draft' } },
      featured: {},
      ...kind.filters,
    },
    columns: ({ filters, loaded: taxonomy }) => [
      {
        label: 'Name',
        rowHeader: true,
        cell: ({ slug, name, icon, website }: StoredListing) =>
          html`<div class="who">${tile(name, icon)}<div><a href="${listingPath(kind, slug)}"><bdi>${name}</bdi></a><span class="note"><bdi>${oneLine(parseUrl(website)?.host ?? slug, 60)}</bdi></span></div></div>`,
      },
      {
        label: 'State',
        className: 'beside-name',
        onPhones: 'unlabelled',
        cell: (stored: StoredListing) => unusualBadges(stored, kind.adultReason(stored, taxonomy)),
      },
      ...kind.columns(taxonomy),
      { label: 'Changed', onPhones: 'hidden', cell: ({ updatedAt }: StoredListing) => ago(updatedAt) },
      {
        label: 'Actions',
        kind: 'actions',
        cell: (stored: StoredListing) =>
          html`<div class="row tight">${waitsForReview(stored) && publishForm(stored, { ...visit.values, back: addressWith(kind.base, filters) })}<a class="button plain slim extra" href="${listingPath(kind, stored.slug)}/preview">Preview<span class="visually-hidden"> of ${stored.name}</span></a></div>`,
      },
    ],
    empty: {
      title: `No ${kind.title.toLowerCase()} yet`,
      action: linkButton('/admin/import', 'Import listings', { kind: 'plain' }),
    },
    noneFoundText: 'Every word must match. Try fewer.',
  })

/** A button that publishes a tool; only tools wait for a review. `values` contain the page to which it returns (`back`). */
export const publishForm = (
  listing: { id: string; slug: string; name: string; version: number },
  values: Record<string, string>,
): Markup =>
  actionForm({
    action: `${TOOL_LISTINGS.base}/${encodeURIComponent(listing.slug)}/change`,
    label: html`Publish<span class="visually-hidden"> ${listing.name}</span>`,
    slim: true,
    values: { ...values, ...versionValue(listing), id: listing.id, published: 'true' },
  })

const unusualBadges = (stored: StoredListing, adult: readonly string[]): Markup | false =>
  (!stored.published || stored.featured || adult.length > 0) &&
  html`<span class="row tight">${!stored.published && publicationBadge(stored)}${stored.featured && badge('Featured', 'accent')}${adult.length > 0 && badge('Adult', 'danger')}</span>`

interface EditListingPage {
  kind: ListingKind
  stored: StoredListing
  adult: readonly string[]
  form: Omit<ListingForm, 'action' | 'groups' | 'back'>
  values: Record<string, string>
  /** What another administrator changed in the meantime. */
  changes?: Markup
  flash?: readonly Flash[]
  /** Whether the page links to the numbers that owners see: for tools, while founders may own them. */
  hasNumbers: boolean
}

export function editListingPage({ kind, stored, adult, hasNumbers, form, values, changes, flash }: EditListingPage) {
  const path = listingPath(kind, stored.slug)
  const website = webAddress(stored.website)
  const waits = waitsForReview(stored)
  // The id identifies the shown listing, because its slug may belong to another one when the button is pressed.
  const change = { ...values, ...versionValue(stored), id: stored.id }
  return {
    title: stored.name,
    flash,
    body: html`<div class="flow">
${breadcrumbs([{ label: kind.title, href: kind.base }, { label: stored.name }])}
<div class="row">${tile(stored.name, stored.icon)}<h1><bdi>${stored.name}</bdi></h1>${stored.published && publicationBadge(stored)}${unusualBadges(stored, adult)}</div>
${stored.broken && brokenNote(stored.broken)}
${waits && html`<p><strong>Awaiting review</strong>, because a listing of its host was taken down. Readers see it when it is published; taken down, it stays hidden.</p>`}
${adult.length > 0 && html`<p><strong>Adult</strong>, because ${adult.join(', and ')}. Readers see it only when they ask for adult listings. What is adult is decided in the <a href="/admin/taxonomy">taxonomy</a>.</p>`}
<div class="row apart"><div class="row">
${toggle(path, change, 'published', !stored.published, stored.published ? 'Hide' : 'Publish', !stored.published)}
${waits && toggle(path, change, 'published', false, 'Take down')}
${toggle(path, change, 'featured', !stored.featured, stored.featured ? 'Stop featuring' : 'Feature')}</div>
${linkButton(`${path}/delete`, 'Delete', { kind: 'danger', slim: true })}
</div>
<p class="note">Slug <code>${stored.slug}</code> · listed ${ago(stored.createdAt)} · changed ${ago(stored.updatedAt)} · <a href="${path}/preview">Preview</a>
${stored.published && !stored.broken && html`&nbsp;· <a href="${kind.site}/${stored.slug}">View on the site</a>`}
${website && html`&nbsp;· <a href="${website}" rel="nofollow noopener noreferrer">Open its site</a>`}
${hasNumbers && html`&nbsp;· <a href="${path}/numbers">Numbers</a>`}&nbsp;· <a href="${addressWith('/admin/audit', { subject: `${kind.kind}:${stored.slug}` })}">History</a></p>
${changes}
${listingForm({ ...form, action: path, groups: kind.groups, back: kind.base })}
</div>`,
  }
}

/** A button that sets `published` or `featured` to `next`. */
const toggle = (
  path: string,
  values: Record<string, string>,
  field: 'published' | 'featured',
  next: boolean,
  label: string,
  isMain = false,
): Markup =>
  actionForm({
    action: `${path}/change`,
    label,
    kind: isMain ? 'main' : 'plain',
    slim: true,
    values: { ...values, [field]: String(next) },
  })

export const newListingPage = (
  kind: ListingKind,
  form: Omit<ListingForm, 'action' | 'groups' | 'back'>,
  flash: readonly Flash[] = [],
) => ({
  title: `Add a ${kind.kind}`,
  flash,
  body: html`<div class="flow">
${breadcrumbs([{ label: kind.title, href: kind.base }, { label: `Add a ${kind.kind}` }])}
<h1>New ${kind.kind}</h1>
${listingForm({ ...form, action: kind.base, groups: kind.groups, back: kind.base })}
</div>`,
})

export const listingPreviewPage = (kind: ListingKind, stored: StoredListing, preview: Markup | null) => ({
  title: `Preview: ${stored.name}`,
  flash: [
    {
      kind: stored.published ? ('info' as const) : ('notice' as const),
      text: html`${stored.published ? 'Preview. This is what readers see.' : 'Preview of a draft. Only administrators see this page.'} <a href="${listingPath(kind, stored.slug)}">Edit it</a>`,
      isPermanent: true,
    },
  ],
  body: preview ?? brokenNote(stored.broken ?? ''),
})

/** For an entry whose stored values break a rule: why readers do not see it, and what to do. */
export const brokenNote = (broken: string): Markup =>
  html`<p><strong>Broken:</strong> ${broken} Readers do not see it, and what cannot be read of it is empty here. Correct and save it, or delete it.</p>`

export const deleteListingPage = (kind: ListingKind, stored: StoredListing, token: Markup) => ({
  title: `Delete ${stored.name}`,
  body: html`<div class="flow prose">
${breadcrumbs([{ label: kind.title, href: kind.base }, { label: stored.name, href: listingPath(kind, stored.slug) }, { label: 'Delete' }])}
<h1>Delete this ${kind.kind}?</h1>
<p class="lead"><strong><bdi>${stored.name}</bdi></strong>, <code>${stored.slug}</code>.</p>
<p>It is gone for good, and its address leads nowhere. One that has submissions cannot be deleted. To take it out of sight and keep it, hide it instead.</p>
<form method="post" action="${listingPath(kind, stored.slug)}/delete">${token}${versionField(stored)}<div class="row">${button(`Delete the ${kind.kind}`, { kind: 'danger' })}${linkButton(listingPath(kind, stored.slug), 'Keep it', { kind: 'plain' })}</div></form>
</div>`,
})
