// The site (its name, texts, colours) and its collections in memory, for every page. Read at the start and after every change, so that no
// request reads the database for it.
import { LRUCache } from 'lru-cache'
import type { Database, Log } from '../../kernel/context.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { createReads, type View } from '../../kernel/views.ts'
import type { CreateThreads } from '../../kernel/work/threads.ts'
import { type Collection, MOST_COLLECTIONS } from './collections.schema.ts'
import { type CollectionRow, findSite, type SiteRow, selectCollections } from './queries.ts'
import { usableSite } from './rules.ts'
import { DEFAULT_SITE, MAX_TEXT, type Site, type SiteFields, TEXT_PAGES } from './schema.ts'

export const SITE_TOPIC = 'site'

interface CurrentSite extends View {
  fields(): SiteFields
  /** Whether an administrator has stopped all agents that work at /mcp/operator. */
  agentsStopped(): boolean
  /** The published collections, by name. */
  collections(): readonly Collection[]
  /** Raised with every change that this process has seen, so that what was made from earlier values can be made again. */
  revision(): number
  /** A text of the operator as HTML; rendered once, in a thread with a time limit. */
  markdown(text: string): Promise<RenderedText>
}

declare module '../../kernel/context.ts' {
  interface Context {
    site: CurrentSite
  }
}

/** The site as pages, mails and programs get it. */
export const siteOfRow = (publicUrl: string, row: SiteRow | undefined): Site => ({
  ...usableSite(publicUrl, row?.fields).fields,
  version: row?.version ?? 0,
})

interface SiteOptions {
  db: Database
  log: Log
  publicUrl: string
  createThreads: CreateThreads
}

export function createCurrentSite({ db, log, publicUrl, createThreads }: SiteOptions): CurrentSite {
  let fields: SiteFields = DEFAULT_SITE
  let agentsStopped = false
  let collections: readonly Collection[] = []
  let revision = 0
  let ready = false
  let warnedOf = ''
  const reads = createReads(log, 'the site could not be read; trying again')

  async function read() {
    const row = await findSite(db)
    const { fields: usable, problems } = usableSite(publicUrl, row?.fields)
    const problem = sentencesOf(problems)
    if (problem !== '' && problem !== warnedOf)
      log.warn({ problem }, 'the stored site has values that cannot be shown; their defaults are shown instead')
    warnedOf = problem
    const published = (await selectCollections(db, MOST_COLLECTIONS)).filter(isShown)
    if (JSON.stringify([usable, published]) !== JSON.stringify([fields, collections])) revision++
    fields = usable
    agentsStopped = row?.agentsStopped ?? false
    collections = published
    ready = true
  }

  return {
    fields: () => fields,
    agentsStopped: () => agentsStopped,
    collections: () => collections,
    revision: () => revision,
    markdown: createMarkdown(createThreads, log),
    apply: (change) => (change === null || change.topic === SITE_TOPIC ? reads.add(read) : Promise.resolve()),
    settled: reads.settled,
    isLoaded: () => ready,
    close: reads.close,
  }
}

/** A row that was written to the database directly may have other values than slugs. */
const isShown = ({ published, tools, directories }: CollectionRow): boolean =>
  published && [tools, directories].every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'))

/** A text as HTML, and its first words alone, for search engines and cards. */
export interface RenderedText {
  html: string
  summary: string
}

// Rendering the longest ordinary text takes a twentieth of a second.
const LIMITS = { atOnce: 1, timeoutMs: 2_000 }
// Room for every text of the site, and for as many previews.
const MAX_CACHED = 2 * (MOST_COLLECTIONS + Object.keys(TEXT_PAGES).length)
// A failure is cached only this long: the thread may have lacked memory.
const FAILURE_MS = 60_000

/** The returned function never fails: a text that takes too long to render is shown with its Markdown marks. */
function createMarkdown(createThreads: CreateThreads, log: Pick<Log, 'warn'>) {
  const render = createThreads<RenderedText>(new URL('./render-text.ts', import.meta.url), LIMITS)
  const cache = new LRUCache<string, Promise<RenderedText>>({ max: MAX_CACHED })
  return (given: string): Promise<RenderedText> => {
    // A form that is shown again may hold a longer text than is stored.
    const text = given.slice(0, MAX_TEXT)
    const cached = cache.get(text)
    if (cached) return cached
    const rendered = render(text).catch((error) => {
      log.warn(
        { err: error, text: text.slice(0, 100) },
        'a text of the site could not be rendered and is shown as it is',
      )
      setTimeout(() => cache.delete(text), FAILURE_MS).unref()
      return plainText(text)
    })
    cache.set(text, rendered)
    return rendered
  }
}

/** A text that could not be rendered, in paragraphs and with its Markdown marks. */
export const plainText = (text: string): RenderedText => ({
  html: text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.replace(/[&<>]/g, (mark) => ESCAPES[mark] ?? '')}</p>`)
    .join('\n'),
  summary: text,
})

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
