// The public site: every address and the function that makes its page. Pages are made from memory, and each counts against the limits of
// the visitor.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { packagesInWords } from '../../../features/billing/orders/account.operations.ts'
import type { ListedKind } from '../../../features/catalog/schema.ts'
import { PLAN_PARAMETERS } from '../../../features/plan/schema.ts'
import { hasPage } from '../../../features/site/rules.ts'
import type { Context } from '../../../kernel/context.ts'
import type { DeclaredEvent } from '../../../kernel/feature.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { DAY_MS } from '../../../kernel/values/days.ts'
import { API_CATALOG, REST_BASE } from '../../http/addresses.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { addAccent } from '../accent.ts'
import { FOUNDER_HELP, SUBMIT } from '../addresses.ts'
import { addAssets } from '../assets.ts'
import { addClientPackage } from '../client-package.ts'
import { founderHelpPage } from '../founders/help.ts'
import { type AddressQuery, knownQuery } from '../kit/lists/address-query.ts'
import { HTML_TYPE, publicBody, sendPublic } from '../kit/sending/answers.ts'
import { type Page, renderPage } from '../kit/sending/document.ts'
import { MARKDOWN_TYPE, pageMarkdown, prefersMarkdown } from '../kit/sending/page-as-markdown.ts'
import { addPublicPages, createBodyCache, type PublicRoutes } from '../kit/sending/public-pages.ts'
import { addManifest } from '../manifest.ts'
import { addReports } from '../reports.ts'
import { addStyleguide } from '../styleguide/routes.ts'
import { topToolsAnswer } from './catalog-reads.ts'
import { COMPARE, comparePage } from './chosen/compare.ts'
import { SHORTLIST, shortlistPage } from './chosen/shortlist.ts'
import { DOCS, docsPage, docsPaths, type Reference, referencePage } from './docs/pages.ts'
import { homePage } from './home.ts'
import { alternativesPage, listedDirectoryPage, listedToolPage } from './listing/listing-pages.ts'
import { addListingReports } from './listing/listing-report.ts'
import { addShareImages } from './listing/share-images.ts'
import { COLLECTIONS, collectionPage, collectionsPage } from './lists/collections.ts'
import { DIRECTORY_PARAMETERS, directoriesPage } from './lists/directories.ts'
import { termsPage } from './lists/terms-page.ts'
import { TOOL_PARAMETERS, termPage, toolsPage } from './lists/tools.ts'
import { PLAN, PLAN_CALENDAR, PLAN_CSV, planPage } from './plan/plan.ts'
import { planCalendar, planCsv } from './plan/plan-files.ts'
import { llms, robots, SECURITY_TXT, sendSecurityTxt } from './programs/crawlers.ts'
import { ATOM, categoryFeed, directoriesFeed, toolsFeed } from './programs/feeds.ts'
import { sitemap, sitemapPart, sitemapVersion } from './programs/sitemap.ts'
import { SEARCH, SEARCH_PARAMETERS, searchPage } from './search/search.ts'
import { addSuggestions } from './search/suggestions.ts'
import { developersPage } from './texts/developers.ts'
import { type PlanSale, pricingPage } from './texts/pricing.ts'
import { TOP_CALL } from './texts/snippets.ts'
import { submitPage } from './texts/submit.ts'
import { OPTIONAL_PAGES, policyPage, textPage } from './texts/text-pages.ts'
import { WEBHOOKS_PATH, webhooksGuidePage } from './texts/webhooks-guide.ts'
import { noteAppearances, noteOpening, noteView, redirectToWebsite } from './visitor-counts.ts'

interface PageRequest {
  ctx: Context
  slug: string
  query: AddressQuery
}

const pageMakers = (
  operations: readonly RoutedOperation[],
  { agentsSignIn, founders }: Pick<Service, 'agentsSignIn' | 'founders'>,
  referenceOf: (ctx: Context) => Reference,
): Record<string, (pageRequest: PageRequest) => Page | Promise<Page>> => ({
  '/': ({ ctx }) => homePage(ctx),
  [SEARCH]: ({ ctx, query }) => searchPage(ctx, query),
  '/tools': ({ ctx, query }) => toolsPage(ctx, query),
  '/tools/:slug': ({ ctx, slug, query }) => listedToolPage(ctx, slug, query),
  '/tools/:slug/alternatives': ({ ctx, slug }) => alternativesPage(ctx, slug),
  '/directories': ({ ctx, query }) => directoriesPage(ctx, query),
  '/directories/:slug': ({ ctx, slug }) => listedDirectoryPage(ctx, slug),
  [PLAN]: ({ ctx, query }) => planPage(ctx, query),
  [COMPARE]: ({ ctx, query }) => comparePage(ctx, query),
  [SHORTLIST]: ({ ctx, query }) => shortlistPage(ctx, query),
  [COLLECTIONS]: ({ ctx }) => collectionsPage(ctx),
  [`${COLLECTIONS}/:slug`]: ({ ctx, slug }) => collectionPage(ctx, slug),
  '/categories': ({ ctx }) => termsPage(ctx, 'category'),
  '/categories/:slug': ({ ctx, slug, query }) => termPage(ctx, 'category', slug, query),
  '/tags': ({ ctx }) => termsPage(ctx, 'tag'),
  '/tags/:slug': ({ ctx, slug, query }) => termPage(ctx, 'tag', slug, query),
  [DEVELOPERS]: async ({ ctx }) =>
    developersPage(
      operations,
      ctx.publicUrl,
      agentsSignIn,
      await planSale(ctx),
      ctx.site.fields(),
      // While the service starts, the page has no answer to show.
      ctx.catalog.isReady() ? topToolsAnswer(ctx, TOP_CALL) : [],
    ),
  [WEBHOOKS_PATH]: ({ ctx }) => webhooksGuidePage(referenceOf(ctx).events, ctx.publicUrl),
  [DOCS]: ({ ctx }) => docsPage(referenceOf(ctx)),
  [`${DOCS}/:slug`]: ({ ctx, slug }) => referencePage(referenceOf(ctx), slug),
  '/policy': ({ ctx }) => policyPage(ctx.publicUrl),
  [SUBMIT]: async ({ ctx }) => submitPage(ctx, await packagesInWords(ctx)),
  ...(founders === 'off'
    ? {}
    : { [FOUNDER_HELP]: async ({ ctx }: PageRequest) => founderHelpPage(ctx, await packagesInWords(ctx)) }),
  [PRICING]: async ({ ctx }) => pricingPage(ctx, await planSale(ctx), await packagesInWords(ctx)),
  ...Object.fromEntries(OPTIONAL_PAGES.map((name) => [`/${name}`, ({ ctx }: PageRequest) => textPage(ctx, name)])),
})

/** The query parameters that each page reads; a page that is not listed reads none. */
export const QUERY_NAMES: Readonly<Record<string, readonly string[]>> = {
  [SEARCH]: SEARCH_PARAMETERS,
  '/tools': TOOL_PARAMETERS,
  '/tools/:slug': ['adult'],
  '/directories': DIRECTORY_PARAMETERS,
  [PLAN]: PLAN_PARAMETERS,
  [COMPARE]: ['tools'],
  [SHORTLIST]: ['tools', 'directories'],
  '/categories/:slug': TOOL_PARAMETERS,
  '/tags/:slug': TOOL_PARAMETERS,
}

/** The pages of single listings, and the kind of listing that each shows. */
const LISTING_PAGES: Readonly<Record<string, ListedKind>> = {
  '/tools/:slug': 'tool',
  '/directories/:slug': 'directory',
}

const isOfResults = (path: string): boolean => QUERY_NAMES[path]?.includes('q') ?? false

/** Search engines are asked not to index them, because each shows what one visitor chose. */
const NOT_IN_SITEMAP: ReadonlySet<string> = new Set([SEARCH, COMPARE, SHORTLIST])

const DEVELOPERS = '/developers'
const PRICING = '/pricing'
/** Pages with prices, which may change without a change of the catalog. They are not cached while there are payments. */
const PRICED: ReadonlySet<string> = new Set([DEVELOPERS, PRICING, SUBMIT, FOUNDER_HELP])

async function planSale({ billing }: Context): Promise<PlanSale> {
  if (!billing) return null
  return { price: await billing.planPrice() }
}

const TEXT = 'text/plain; charset=utf-8'
const XML = 'application/xml; charset=utf-8'

const textMakers = (
  operations: readonly RoutedOperation[],
  contentSignal: string,
  pages: readonly string[],
): Record<string, [type: string, make: (pageRequest: PageRequest) => string | Promise<string>]> => ({
  '/feeds/tools.xml': [ATOM, ({ ctx }) => toolsFeed(ctx)],
  '/feeds/directories.xml': [ATOM, ({ ctx }) => directoriesFeed(ctx)],
  '/feeds/categories/:slug': [ATOM, ({ ctx, slug }) => categoryFeed(ctx, slug)],
  '/robots.txt': [TEXT, ({ ctx }) => robots(ctx.publicUrl, contentSignal)],
  '/llms.txt': [TEXT, ({ ctx }) => llms(ctx.catalog.snapshot(), operations, ctx.publicUrl, ctx.site.fields())],
  '/sitemap.xml': [
    XML,
    ({ ctx }) => sitemap({ snapshot: ctx.catalog.snapshot(), pages: sitemapPages(ctx, pages) }, ctx.publicUrl),
  ],
  '/sitemaps/:slug': [
    XML,
    ({ ctx, slug }) =>
      sitemapPart({ snapshot: ctx.catalog.snapshot(), pages: sitemapPages(ctx, pages) }, ctx.publicUrl, partIn(slug)),
  ],
})

/** The fixed pages without the optional ones that the operator has not written, and the operator's collections. */
const sitemapPages = (ctx: Context, pages: readonly string[]): string[] => {
  const collections = ctx.site.collections()
  const missing = OPTIONAL_PAGES.filter((name) => !hasPage(ctx.site.fields(), name)).map((name) => `/${name}`)
  if (collections.length === 0) missing.push(COLLECTIONS)
  return [
    ...pages.filter((path) => !missing.includes(path)),
    ...collections.map(({ slug }) => `${COLLECTIONS}/${slug}`),
  ]
}

const partIn = (name: string): number => Number(/^([1-9]\d{0,5})\.xml$/.exec(name)?.[1] ?? Number.NaN)

const VISIT = '/tools/:slug/visit'

export function addPages(
  server: FastifyInstance,
  service: Service,
  operations: readonly RoutedOperation[],
  events: readonly DeclaredEvent[],
): void {
  const pagesByPath = pageMakers(operations, service, ({ publicUrl }) => ({ operations, events, publicUrl }))
  const fixedPaths = Object.keys(pagesByPath).filter((path) => !path.includes(':') && !NOT_IN_SITEMAP.has(path))
  const textsByPath = textMakers(operations, service.contentSignal, [...fixedPaths, ...docsPaths(operations)])
  addPublicPages(server, service, {
    [VISIT]: redirectToWebsite(service),
    [PLAN_CSV]: planCsv(service),
    [PLAN_CALENDAR]: planCalendar(service),
    [SECURITY_TXT]: sendSecurityTxt(service),
    ...pageRoutes(service, pagesByPath),
    ...textRoutes(service, textsByPath),
  })
  addSuggestions(server, service)
  addReports(server, service)
  addListingReports(server, service)
  addShareImages(server, service)
  if (service.showsStyleguide) addStyleguide(server, service)
  addAssets(server, service)
  addClientPackage(server, service)
  addAccent(server, service)
  addManifest(server, service)
}

/** Each page as HTML or as Markdown, whichever the client asks for. */
function pageRoutes(service: Service, pagesByPath: ReturnType<typeof pageMakers>): PublicRoutes {
  const cachedPage = createBodyCache()
  const routeOf = (path: string, make: (typeof pagesByPath)[string]): PublicRoutes[string] => {
    const names = QUERY_NAMES[path] ?? []
    return async (request, reply) => {
      const pageRequest = pageRequestOf(service, request, names)
      const type = prefersMarkdown(request.headers.accept) ? MARKDOWN_TYPE : HTML_TYPE
      const render = async () => {
        const page = await make(pageRequest)
        // Only pages with a query have `found`, and those are not cached.
        if (page.found && type === HTML_TYPE) noteAppearances(pageRequest.ctx, request, page.found)
        return rendered(service, page, type)
      }
      const isPlain = Object.keys(pageRequest.query).length === 0
      // Only pages without a query are cached: a search has thousands of spellings, and each would take up room.
      const isCached = isPlain && !(PRICED.has(path) && service.takesPayments)
      const body = isCached
        ? await cachedPage(pageVersion(pageRequest), `${type} ${path} ${pageRequest.slug}`, render)
        : publicBody(await render())
      noteListing(request, pageRequest, path, type)
      if (isPlain) reply.header('link', pageLinks(path.replace(':slug', pageRequest.slug)))
      return sendPublic(request, reply, type, body, 'Accept, Accept-Encoding')
    }
  }
  return Object.fromEntries(Object.entries(pagesByPath).map(([path, make]) => [path, routeOf(path, make)]))
}

function textRoutes(service: Service, textsByPath: ReturnType<typeof textMakers>): PublicRoutes {
  const cachedText = createBodyCache()
  const cachedSitemap = createBodyCache()
  const routeOf =
    (path: string, [type, make]: (typeof textsByPath)[string]): PublicRoutes[string] =>
    async (request, reply) => {
      const pageRequest = pageRequestOf(service, request)
      const write = async () => Buffer.from(await make(pageRequest))
      const key = `${path} ${pageRequest.slug}`
      const body =
        type === XML
          ? await cachedSitemap(versionOfSitemap(pageRequest), key, write)
          : await cachedText(listingsVersion(pageRequest), key, write)
      return sendPublic(request, reply, type, body)
    }
  return Object.fromEntries(Object.entries(textsByPath).map(([path, text]) => [path, routeOf(path, text)]))
}

/** Notes that a person has viewed a listing, and whether it was opened from the results of a question. */
function noteListing(request: FastifyRequest, { ctx, slug }: PageRequest, path: string, type: string): void {
  const kind = LISTING_PAGES[path]
  if (!kind) return
  noteOpening(ctx, request, { kind, slug }, isOfResults)
  if (kind === 'tool' && type === HTML_TYPE) noteView(ctx, request, ctx.catalog.snapshot().tools.idOf.get(slug))
}

const rendered = (service: Service, page: Page, type: string) =>
  type === HTML_TYPE ? renderPage(page, service.site.fields()) : Buffer.from(pageMarkdown(page, service.publicUrl))

/** The Link header, in which programs find the API's description, its documentation, the list of APIs, and the page as Markdown. */
const pageLinks = (path: string): string =>
  [
    `<${REST_BASE}/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${DOCS}>; rel="service-doc"; type="text/html"`,
    `<${API_CATALOG}>; rel="api-catalog"; type="application/linkset+json"`,
    `<${path}>; rel="alternate"; type="text/markdown"`,
  ].join(', ')

// All of these numbers only grow, so their sum changes with each. The day is one of them, because pages say what is new and when a website
// was last looked at. While the service starts, pages are without what the catalog has.
const pageVersion = ({ ctx }: PageRequest) =>
  ctx.catalog.version() + ctx.site.revision() + Math.floor(ctx.now().getTime() / DAY_MS) + Number(ctx.catalog.isReady())
// This version does not change with click counts, so a click does not cause a sitemap of fifty thousand addresses to be made again.
const listingsVersion = ({ ctx }: PageRequest) => ctx.catalog.listingsVersion() + ctx.site.revision()

const versionOfSitemap = (pageRequest: PageRequest) =>
  sitemapVersion(pageRequest.ctx.catalog.snapshot(), listingsVersion(pageRequest), pageRequest.ctx.now())

const pageRequestOf = (service: Service, request: FastifyRequest, names: readonly string[] = []): PageRequest => ({
  ctx: service.context(identifiedCaller(request)),
  slug: (request.params as { slug?: string }).slug ?? '',
  query: knownQuery(request.query as AddressQuery, names),
})
