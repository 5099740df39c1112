import type { TermKind } from '../../../../features/catalog/schema.ts'
import { badge } from '../../kit/badge.ts'
import { breadcrumbs } from '../../kit/breadcrumbs.ts'
import { button, linkButton } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { emptyState } from '../../kit/empty-state.ts'
import { choice, field, select, textarea } from '../../kit/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { ListPage } from '../../kit/paged-lists.ts'
import { type Refusal, refusalFlash } from '../../kit/problems.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { table } from '../../kit/table.ts'
import { tabs } from '../../kit/tabs.ts'
import { number } from '../../kit/values.ts'
import { categoryMark } from '../../site/category-looks.ts'
import { filteredResults, filterForm } from '../filtered-lists.ts'
import { brokenNote } from '../listings/pages.ts'
import { storedValues, versionField } from '../version-field.ts'

export const TAXONOMY = '/admin/taxonomy'
export const TAGS = `${TAXONOMY}/tags`
// Beside the addresses of terms, whose slugs they could be.
export const CONFIRM = '/admin/tag-confirmations'
export const SPLIT = '/admin/tag-splits'
/** The beginning of a checkbox's name; the rest is the slug of the tag. */
export const PICK = 'pick-'

export interface TaxonomyPart {
  kind: TermKind
  path: string
  one: string
  title: string
  isDescribed: boolean
  mayBeAdult: boolean
  /** The address of the list of listings that use a term. */
  listings: (slug: string) => string
}

export const TAXONOMY_PARTS: readonly [TaxonomyPart, ...TaxonomyPart[]] = [
  {
    kind: 'category',
    path: 'categories',
    one: 'category',
    title: 'Categories',
    isDescribed: true,
    mayBeAdult: true,
    listings: (category) => addressWith('/admin/tools', { category }),
  },
  {
    kind: 'tag',
    path: 'tags',
    one: 'tag',
    title: 'Tags',
    isDescribed: false,
    mayBeAdult: true,
    listings: (tag) => addressWith('/admin/tools', { tag }),
  },
  {
    kind: 'directoryCategory',
    path: 'directory-categories',
    one: 'directory category',
    title: 'Directory categories',
    isDescribed: false,
    mayBeAdult: false,
    listings: (category) => addressWith('/admin/directories', { category }),
  },
]

export interface TaxonomyTerm {
  slug: string
  name: string
  description?: string
  icon?: string
  adult?: boolean
  /** Whether a submission created the term. */
  submitted?: boolean
  /** For tags: whether readers see it. */
  shown?: boolean
  version: number
  listingsCount: number
  broken?: string
}

/** The values in the form. */
export interface TypedTerm {
  slug: string
  name?: string
  description?: string
  icon?: string
  adult?: string
  /** For a tag that a submission created: readers always see it from now on, even while no published listing has it. */
  keep?: string
}

const termPath = (part: TaxonomyPart, slug: string): string => `${TAXONOMY}/${part.path}/${encodeURIComponent(slug)}`

interface MixedTag {
  slug: string
  name: string
  written: readonly { name: string; listings: readonly string[] }[]
  unrecorded: readonly string[]
}

/** Where administrators split a tag whose users wrote different names. */
const mixedTags = (mixed: readonly MixedTag[], token: Markup): Markup =>
  html`${sectionHead('Different names')}
<p>Partners of these listings wrote another name than the tag has. Split it to give them a tag of their own.${mixed.some(({ unrecorded }) => unrecorded.length > 0) && html` Before 1.2 names with the same slug became one tag, and what partners wrote was not stored: look at those listings, and move the ones that mean something else with <code>catalog tags split</code>.`}</p>
${table({
  caption: 'Tags whose users wrote different names',
  rows: mixed.flatMap((tag) => [
    ...tag.written.map((other) => ({ tag, other })),
    ...(tag.unrecorded.length > 0 ? [{ tag, other: { name: null, listings: tag.unrecorded } }] : []),
  ]),
  columns: [
    { label: 'Tag', rowHeader: true, cell: ({ tag }) => html`<bdi>${tag.name}</bdi>` },
    { label: 'Written', cell: ({ other }) => (other.name === null ? 'Not stored' : html`<bdi>${other.name}</bdi>`) },
    { label: 'Listings', kind: 'number', cell: ({ other }) => other.listings.length },
    {
      label: 'Split',
      kind: 'actions',
      cell: ({ tag, other }) =>
        other.name === null
          ? null
          : html`<form method="post" action="${SPLIT}">${token}<input type="hidden" name="tag" value="${tag.slug}"><input type="hidden" name="name" value="${other.name}">${button('Split', { kind: 'plain' })}</form>`,
    },
  ],
})}`

/** Of a tag that a submission made. */
const pickBox = ({ slug, name, submitted }: TaxonomyTerm): Markup | null =>
  submitted
    ? html`<input type="checkbox" form="confirm" name="${PICK}${slug}" value="true" aria-label="Confirm ${name}">`
    : null

export function taxonomyPage(
  part: TaxonomyPart,
  { list, mixed }: { list: ListPage<TaxonomyTerm>; mixed: readonly MixedTag[] },
  filters: { q: string; submitted?: string },
  typed: TypedTerm,
  token: Markup,
  refusal?: Refusal,
) {
  const path = `${TAXONOMY}/${part.path}`
  return {
    title: part.title,
    flash: refusalFlash(refusal),
    body: html`<div class="flow">
<h1>Taxonomy</h1>
${tabs(
  'Parts of the taxonomy',
  TAXONOMY_PARTS.map((one) => ({ href: `${TAXONOMY}/${one.path}`, label: one.title, isCurrent: one === part })),
)}
${filterForm(
  path,
  html`<div class="whole">${field({ name: 'q', label: 'Words', type: 'search', value: filters.q, maxLength: 200, hint: 'In the name or slug.' })}</div>${part.kind === 'tag' && select({ name: 'submitted', label: 'Confirmed', none: 'Any', value: filters.submitted, options: CONFIRMED })}`,
  Object.values(filters).some((value) => value !== ''),
)}
${filteredResults(
  list,
  path,
  filters,
  table({
    caption: part.title,
    rows: list.rows,
    columns: [
      {
        label: 'Name',
        rowHeader: true,
        cell: ({ slug, name }) =>
          html`<div class="who">${part.kind === 'category' && categoryMark(slug)}<div><a href="${termPath(part, slug)}"><bdi>${name}</bdi></a><br><span class="note">${slug}</span></div></div>`,
      },
      ...(part.isDescribed
        ? [{ label: 'Description', cell: ({ description }: TaxonomyTerm) => html`<bdi>${description}</bdi>` }]
        : []),
      ...(part.mayBeAdult
        ? [{ label: 'Adult', cell: ({ adult }: TaxonomyTerm) => (adult ? badge('Adult', 'danger') : null) }]
        : []),
      ...(part.kind === 'tag'
        ? [
            { label: 'Readers', cell: (term: TaxonomyTerm) => shownBadge(term) },
            { label: 'Confirm', cell: pickBox },
          ]
        : []),
      {
        label: 'Listings',
        kind: 'number',
        cell: ({ slug, listingsCount }) => html`<a href="${part.listings(slug)}">${number(listingsCount)}</a>`,
      },
    ],
    empty: emptyState({ title: filters.q ? 'Nothing found' : `No ${part.title.toLowerCase()} yet` }),
  }),
)}
${part.kind === 'tag' && html`<form id="confirm" method="post" action="${CONFIRM}">${token}<div class="row">${button('Confirm the chosen tags', { kind: 'plain' })}</div></form>`}
${mixed.length > 0 && mixedTags(mixed, token)}
${sectionHead(`New ${part.one}`)}
<form class="form" method="post" action="${path}">
${token}
${termFields(part, typed, true, refusal?.marked)}
<div class="row">${button('Add')}</div>
</form>
</div>`,
  }
}

const CONFIRMED = [
  { value: 'true', label: 'Not confirmed' },
  { value: 'false', label: 'Confirmed' },
]

const shownBadge = ({ submitted, shown }: TaxonomyTerm): Markup | null =>
  shown === false ? badge('Not shown', 'notice') : submitted ? badge('From a submission', 'plain') : null

export function taxonomyTermPage(
  part: TaxonomyPart,
  term: TaxonomyTerm,
  typed: TypedTerm,
  token: Markup,
  refusal?: Refusal,
) {
  const path = termPath(part, term.slug)
  return {
    title: term.name,
    flash: refusalFlash(refusal),
    body: html`<div class="flow">
${breadcrumbs([{ label: part.title, href: `${TAXONOMY}/${part.path}` }, { label: term.name }])}
<h1><bdi>${term.name}</bdi></h1>
<p class="note">Slug <code>${term.slug}</code> · used by <a href="${part.listings(term.slug)}">${number(term.listingsCount)} ${term.listingsCount === 1 ? 'listing' : 'listings'}</a>, drafts included</p>
${term.broken && brokenNote(term.broken)}
${term.submitted && html`<p>${shownBadge(term)} A submission made it: readers see it while a published listing has it.</p>`}
<form class="form" method="post" action="${path}">
${token}${versionField(term)}
${
  refusal &&
  storedValues([
    ['Name', typed.name, term.name],
    ['Description', typed.description, term.description ?? ''],
    ['Icon', typed.icon, term.icon ?? ''],
    ...(part.mayBeAdult ? [['Adult', typed.adult === 'true' ? 'yes' : 'no', term.adult ? 'yes' : 'no'] as const] : []),
  ])
}
${termFields(part, typed, false, refusal?.marked)}
${term.submitted && choice({ name: 'keep', label: 'Make it ours', checked: typed.keep === 'true', hint: 'Readers then see it also while no published listing has it.' })}
<div class="row">${button('Save')}${linkButton(`${TAXONOMY}/${part.path}`, 'Cancel', { kind: 'plain' })}</div>
</form>
${sectionHead('Delete')}
${
  term.listingsCount > 0
    ? html`<p>It is used and cannot be deleted. Take it off the ${term.listingsCount === 1 ? 'listing' : 'listings'} first.</p>`
    : html`<details class="confirm"><summary class="button danger">Delete the ${part.one}</summary><div><p>No listing uses <strong><bdi>${term.name}</bdi></strong>. It is gone for good.</p><form method="post" action="${path}/delete">${token}${versionField(term)}${button('Delete', { kind: 'danger' })}</form></div></details>`
}
</div>`,
  }
}

export const TERM_LABELS = { name: 'Name', slug: 'Slug', description: 'Description', icon: 'Icon' }

const termFields = (part: TaxonomyPart, typed: TypedTerm, isNew: boolean, marked: Refusal['marked'] = {}): Markup =>
  html`${field({ name: 'name', label: TERM_LABELS.name, error: marked.name, value: typed.name, required: true, maxLength: 200 })}
${isNew && field({ name: 'slug', label: TERM_LABELS.slug, error: marked.slug, value: typed.slug, maxLength: 100, spellcheck: false, hint: 'Part of its address, and stays. Empty: made from the name.' })}
${
  part.isDescribed &&
  html`${textarea({ name: 'description', label: TERM_LABELS.description, error: marked.description, value: typed.description, rows: 3, maxLength: 2000, hint: 'What belongs into it.' })}
${field({ name: 'icon', label: TERM_LABELS.icon, error: marked.icon, value: typed.icon, maxLength: 2000, hint: 'An emoji, or the address of a picture.' })}`
}
${part.mayBeAdult && choice({ name: 'adult', label: 'Adult', checked: typed.adult === 'true', hint: 'Its listings are left out unless a reader asks for adult ones.' })}`
