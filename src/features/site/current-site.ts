// The site (its name, texts, colours) and its collections in memory, for every page. Read at the start and after every change, so that no
// request reads the database for it.
import type { Database, Log } from '../../kernel/context.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { createReads, type View } from '../../kernel/views.ts'
import type { CreateThreads } from '../../kernel/work/threads.ts'
import { type Collection, MOST_COLLECTIONS } from './collections.schema.ts'
import { createMarkdown, type RenderedText } from './markdown.ts'
import { type CollectionRow, findSite, type SiteRow, selectCollections } from './queries.ts'
import { usableSite } from './rules.ts'
import { DEFAULT_SITE, type Site, type SiteFields } from './schema.ts'

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
