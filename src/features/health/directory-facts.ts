// Looks at the pages of a directory that say how products are entered: its form and its terms, in the same look as its website.
import type { OutboundResponse } from '../../kernel/outbound.ts'
import { PAGE_LIMITS, politeRequest, redirectOf } from '../proof/polite-request.ts'
import { HostBusy, type Politeness } from '../proof/politeness.ts'
import { type DirectoryPage, type FoundFact, type KnownDirectory, robotsLine, type Stated } from './facts.rules.ts'
import { type LookContext, type LookLimits, readWebsitePage } from './look-at-website.ts'
import { findingOfStatus } from './rules.ts'

interface ReadPage {
  url: string
  page: DirectoryPage
}

const MAX_HOPS = 3
/** More of a page is not quoted in a proposal. */
const MAX_QUOTE = 900

interface FactsContext extends LookContext {
  /** The rules of the origin's robots.txt, which the request before has stored. */
  rulesOf(origin: string): Promise<string | undefined>
}

/** `home`: what its first page says. Nothing is found when its host is busy; the next look tries again. */
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

/** The page where the address leads; a text: why there was no answer; null: it is no address or redirects too often. */
async function fetchPage(ctx: FactsContext, address: string, limits: LookLimits, politeness: Politeness) {
  let url = address
  for (let hop = 0; hop <= MAX_HOPS && URL.canParse(url); hop++) {
    const response = await politeRequest(ctx, { robot: 'health', ...limits }, politeness, url, PAGE_LIMITS)
    const next = typeof response === 'string' ? null : redirectOf(response)
    if (!next) return response
    url = next.href
  }
  return null
}

/** What the page says; an error page says nothing. */
async function readPage(ctx: FactsContext, response: OutboundResponse, limits: LookLimits): Promise<ReadPage[]> {
  if (findingOfStatus(response.status) !== null) return []
  const { directory } = await readWebsitePage(ctx, response.url, { ...limits, isDirectory: true }, response)
  return directory ? [{ url: response.url, page: directory }] : []
}

const quoteOf = (text: string): string => text.slice(0, MAX_QUOTE).toWellFormed()

const quoted = ({ quote }: Pick<Stated<unknown>, 'quote'>, url: string): string => quoteOf(`${quote} (${url})`)

/** The form pages come first, because they say it of themselves. */
function firstStated<F extends 'cost' | 'minimumPrice' | 'requiresBadge'>(pages: readonly ReadPage[], field: F) {
  const found = pages.find(({ page }) => page[field] !== null)
  const stated = found?.page[field]
  return found && stated ? [{ field, value: stated.value, quote: quoted(stated, found.url) } as FoundFact] : []
}

/** When the form is gone, the form that the first page links to now, or none. An answer that refuses programs says nothing. */
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

/** What the terms say, then the other pages, then the robots.txt about the form. A prohibition wins. */
async function automationFact(
  ctx: FactsContext,
  pages: readonly ReadPage[],
  link: string | null,
): Promise<FoundFact[]> {
  const stated = pages.flatMap(({ url, page }) => (page.automation ? [{ url, ...page.automation }] : []))
  const said = stated.find(({ value }) => value === 'forbidden') ?? stated[0]
  if (said) return [{ field: 'automation', value: said.value, quote: quoted(said, said.url) }]
  const form = link ? URL.parse(link) : null
  const rules = form ? await ctx.rulesOf(form.origin) : undefined
  const line = form && rules ? robotsLine(rules, form.pathname) : null
  return form && line
    ? [{ field: 'automation', value: 'forbidden', quote: quoted({ quote: line }, `${form.origin}/robots.txt`) }]
    : []
}
