// Looks at the pages of a directory that say how products are entered: its form and its terms, in the same look as its website.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { OutboundResponse } from '../../../kernel/interfaces/outbound.ts'
import { HostBusy, PAGE_LIMITS, type Politeness, politeRequest, redirectOf } from '../../proof/politeness/politeness.ts'
import { findingOfStatus } from '../rules.ts'
import { type DirectoryPage, type FoundFact, type KnownDirectory, robotsLine, type Stated } from './facts.rules.ts'
import { type LookContext, type LookLimits, readWebsitePage } from './look-at-website.ts'

interface ReadPage {
  url: string
  page: DirectoryPage
}

const MAX_HOPS = 3
/** A proposal quotes at most this many characters of a page. */
const MAX_QUOTE = 900

interface FactsContext extends LookContext {
  /** The robots.txt of the origin, which is stored when a page of the origin is requested. */
  rulesOf(origin: string): Promise<string | undefined>
}

/** `home` is what the directory's first page says. Returns no facts when the host is busy; the next look tries again. */
export async function lookAtFacts(
  ctx: FactsContext,
  { submissionLink }: Pick<KnownDirectory, 'submissionLink'>,
  home: ReadPage,
  limits: LookLimits,
  politeness: Politeness,
): Promise<FoundFact[]> {
  try {
    const form = submissionLink ? await fetchPage(ctx, submissionLink, limits, politeness) : null
    const pages = form && typeof form !== 'string' ? [...(await readPage(ctx, form, limits)), home] : [home]
    const terms = pages.find(({ page }) => page.termsLink)?.page.termsLink
    const termsResponse = terms ? await fetchPage(ctx, terms, limits, politeness) : null
    const termsPages =
      termsResponse && typeof termsResponse !== 'string' ? await readPage(ctx, termsResponse, limits) : []
    return [
      ...(submissionLink ? linkFact(submissionLink, form, home) : []),
      ...firstStated(pages, 'cost'),
      ...firstStated(pages, 'minimumPrice'),
      ...firstStated(pages, 'requiresBadge'),
      ...(await automationFact(ctx, [...termsPages, ...pages], submissionLink)),
    ]
  } catch (error) {
    if (error instanceof HostBusy) return []
    throw error
  }
}

/** Follows the address. Returns the response, or a text that says why there is none; null for no address or too many redirects. */
async function fetchPage(ctx: FactsContext, address: string, limits: LookLimits, politeness: Politeness) {
  let url = address
  for (let hop = 0; hop <= MAX_HOPS && parseUrl(url); hop++) {
    const response = await politeRequest(ctx, { robot: 'health', ...limits }, politeness, url, PAGE_LIMITS)
    const next = typeof response === 'string' ? null : redirectOf(response)
    if (!next) return response
    url = next.href
  }
  return null
}

/** What the page says, as a list of one. The list is empty for an error page. */
async function readPage(ctx: FactsContext, response: OutboundResponse, limits: LookLimits): Promise<ReadPage[]> {
  if (findingOfStatus(response.status) !== null) return []
  const { directory } = await readWebsitePage(ctx, response.url, { ...limits, isDirectory: true }, response)
  return directory ? [{ url: response.url, page: directory }] : []
}

const quoteOf = (text: string): string => text.slice(0, MAX_QUOTE).toWellFormed()

const quoted = ({ quote }: Pick<Stated<unknown>, 'quote'>, url: string): string => quoteOf(`${quote} (${url})`)

/** The first page that states the field. The pages of the form come first in `pages`, because they speak about their own form. */
function firstStated<F extends 'cost' | 'minimumPrice' | 'requiresBadge'>(pages: readonly ReadPage[], field: F) {
  const found = pages.find(({ page }) => page[field] !== null)
  const stated = found?.page[field]
  return found && stated ? [{ field, value: stated.value, quote: quoted(stated, found.url) } as FoundFact] : []
}

/** The address of the form; null when it is gone and the first page links to no other. Empty when the answer does not say. */
function linkFact(link: string, form: Awaited<ReturnType<typeof fetchPage>>, home: ReadPage): FoundFact[] {
  if (form === null || typeof form === 'string') return []
  const finding = findingOfStatus(form.status)
  const isSame = home.page.formLink === null || home.page.formLink === link
  if (finding === 'gone')
    return [
      {
        field: 'submissionLink',
        value: isSame ? null : home.page.formLink,
        quote: quoteOf(`${form.status} at ${form.url}`),
      },
    ]
  // The form is there: this confirms the stored address, so that a waiting proposal to change it ends.
  return finding === null ? [{ field: 'submissionLink', value: link, quote: '' }] : []
}

/** Whether programs may enter products: what the terms say, then the other pages, then the robots.txt. A prohibition on any page wins. */
async function automationFact(
  ctx: FactsContext,
  pages: readonly ReadPage[],
  link: string | null,
): Promise<FoundFact[]> {
  const stated = pages.flatMap(({ url, page }) => (page.automation ? [{ url, ...page.automation }] : []))
  const said = stated.find(({ value }) => value === 'forbidden') ?? stated[0]
  if (said) return [{ field: 'automation', value: said.value, quote: quoted(said, said.url) }]
  const form = link ? parseUrl(link) : null
  const rules = form ? await ctx.rulesOf(form.origin) : undefined
  const line = form && rules ? robotsLine(rules, form.pathname) : null
  return form && line
    ? [{ field: 'automation', value: 'forbidden', quote: quoted({ quote: line }, `${form.origin}/robots.txt`) }]
    : []
}
