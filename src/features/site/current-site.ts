// The site as every page of this process shows it. It is read at the start and after every change, so no request reads the database for it.
import type { Change, Database, Log } from '../../kernel/context.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { type CollectionRow, listCollections } from './collections.queries.ts'
import { type Collection, MOST_COLLECTIONS } from './collections.schema.ts'
import { findSite, type SiteRow } from './queries.ts'
import { usableSite } from './rules.ts'
import { DEFAULT_SITE, type Site, type SiteFields } from './schema.ts'

export const SITE_TOPIC = 'site'

export interface CurrentSite {
  fields(): SiteFields
  /** The published collections, by name. */
  collections(): readonly Collection[]
  /** Raised with every change that this process has seen, so that what was made with an earlier name can be made again. */
  revision(): number
  apply(change: Change | null): Promise<void>
  isReady(): boolean
}

declare module '../../kernel/context.ts' {
  interface Context {
    site: CurrentSite
  }
}

const RETRY_MS = 1000

/** The site as pages, mails and programs get it. */
export const siteOf = (publicUrl: string, row: SiteRow | undefined): Site => ({
  ...usableSite(publicUrl, row?.fields).fields,
  version: row?.version ?? 0,
})

export function createCurrentSite({ db, log, publicUrl }: { db: Database; log: Log; publicUrl: string }): CurrentSite {
  let fields: SiteFields = DEFAULT_SITE
  let collections: readonly Collection[] = []
  let revision = 0
  let ready = false
  let warnedOf = ''
  let queue: Promise<void> = Promise.resolve()

  async function read() {
    const { fields: usable, problems } = usableSite(publicUrl, (await findSite(db))?.fields)
    const problem = sentencesOf(problems)
    if (problem !== '' && problem !== warnedOf)
      log.warn({ problem }, 'the stored site has values that cannot be shown; their defaults are shown instead')
    warnedOf = problem
    const published = (await listCollections(db, MOST_COLLECTIONS)).filter(isShown)
    if (JSON.stringify([usable, published]) !== JSON.stringify([fields, collections])) revision++
    fields = usable
    collections = published
    ready = true
  }

  return {
    fields: () => fields,
    collections: () => collections,
    revision: () => revision,
    isReady: () => ready,
    apply(change) {
      if (change !== null && change.topic !== SITE_TOPIC) return Promise.resolve()
      // One after the other, because otherwise an older read could overwrite a newer one.
      queue = queue.then(read).catch(async (error) => {
        log.warn({ err: error }, 'the site could not be read; trying again')
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
        void this.apply(change)
      })
      return queue
    },
  }
}

/** A row that was written to the database directly may have other values than slugs. */
const isShown = ({ published, tools, directories }: CollectionRow): boolean =>
  published && [tools, directories].every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'))

/** For tests of pages, and for pages that are shown before the service has started. */
export const defaultSite: CurrentSite = {
  fields: () => DEFAULT_SITE,
  collections: () => [],
  revision: () => 0,
  apply: () => Promise.resolve(),
  isReady: () => true,
}
