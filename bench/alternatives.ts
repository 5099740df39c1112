// The alternatives to compare with: the same documents and queries in PostgreSQL full text and in MiniSearch.
import MiniSearch from 'minisearch'
import pg from 'pg'
import { listing, searchedText } from './catalog.ts'
import { startPostgres } from './processes.ts'

/** Runs one query for the first `limit` results and the exact total, and returns the total. */
export type RunQuery = (q: string, limit: number) => Promise<number> | number

/** Full text as the PostgreSQL manual shows it: a stored vector with weights, a GIN index, rank. It finds English word forms, but no prefixes and no typos. */
export async function openPostgresSearch(
  listings: number,
): Promise<{ ask: RunQuery; version: string; end(): Promise<void> } | null> {
  const server = await startPostgres()
  if (!server) return null
  const client = await connectWithRetries(server.url)
  await client.query(`
    create table documents (
      id int primary key, name text, middle text, weak text, opens int, created_at timestamptz, adult boolean,
      vector tsvector generated always as (
        setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('english', middle), 'B') || setweight(to_tsvector('english', weak), 'D')
      ) stored)`)
  for (let from = 0; from < listings; from += 5000) {
    const rows = [...toolsBetween(from, Math.min(from + 5000, listings))]
    await client.query(
      `insert into documents (id, name, middle, weak, opens, created_at, adult)
       select * from json_to_recordset($1) as (id int, name text, middle text, weak text, opens int, created_at timestamptz, adult boolean)`,
      [JSON.stringify(rows)],
    )
  }
  await client.query('create index on documents using gin (vector)')
  await client.query('vacuum analyze documents')
  return {
    version: server.version,
    async ask(q, limit) {
      const { rows } = await client.query({
        name: 'search',
        text: `select id, name, middle, weak, ts_rank(vector, query) as rank, count(*) over () as total
               from documents, plainto_tsquery('english', $1) query where vector @@ query and not adult
               order by rank desc, opens desc, created_at desc, id limit $2`,
        values: [q, limit],
      })
      return Number(rows[0]?.total ?? 0)
    },
    async end() {
      await client.end()
      await server.end()
    },
  }
}

/** Runs in this process. MiniSearch always builds and sorts the whole result, so the first twenty cost as much as all of them. */
export function openMiniSearch(listings: number): { exact: RunQuery; fuzzy: RunQuery } {
  const index = new MiniSearch({ fields: ['name', 'middle', 'weak'], storeFields: ['adult'] })
  for (const document of toolsBetween(0, listings)) index.add(document)
  const ask =
    (options: { prefix: boolean; fuzzy: number | false }): RunQuery =>
    (q, limit) => {
      const found = index.search(q, {
        ...options,
        combineWith: 'AND',
        boost: { name: 100, middle: 10 },
        filter: (result) => !result.adult,
      })
      found.slice(0, limit)
      return found.length
    }
  return { exact: ask({ prefix: false, fuzzy: false }), fuzzy: ask({ prefix: true, fuzzy: 0.2 }) }
}

function* toolsBetween(from: number, to: number) {
  for (let id = from; id < to; id++) {
    const entry = listing(id)
    if (entry.kind === 'tool')
      yield {
        id,
        ...searchedText(entry),
        opens: entry.opens,
        created_at: entry.createdAt,
        adult: entry.category === 'nsfw',
      }
  }
}

async function connectWithRetries(url: string): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(url)
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
