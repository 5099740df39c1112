import { html, type Markup } from './markup.ts'

export interface Crumb {
  label: string
  href?: string
}

/** Links from the top of the site down to this page. The last one is this page itself and is no link. */
export const breadcrumbs = (crumbs: readonly Crumb[]): Markup =>
  html`<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>${crumbs.map(({ label, href }) =>
    href
      ? html`<li><a href="${href}"><bdi>${label}</bdi></a></li>`
      : html`<li><span aria-current="page"><bdi>${label}</bdi></span></li>`,
  )}</ol></nav>`

/** The breadcrumbs in the vocabulary of schema.org, for search engines. */
export const breadcrumbFacts = (publicUrl: string, crumbs: readonly Crumb[]): object => ({
  '@type': 'BreadcrumbList',
  itemListElement: crumbs.map(({ label, href }, i) => ({
    '@type': 'ListItem',
    position: i + 1,
    name: label,
    item: href ? publicUrl + href : undefined,
  })),
})
