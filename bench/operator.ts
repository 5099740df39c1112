// The operator's part of the measurements: importing files of listings and issuing keys.
import { once } from 'node:events'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listing, taxonomy } from './catalog.ts'
import { createClient, type TimedAnswer } from './load.ts'
import { ADMIN_TOKEN, folder, type Server, startServer } from './processes.ts'

// A smaller catalog has no file.
const LEAST_IN_FILE = 5_000
const FILE_MS = 300_000

export async function importFile(server: Server, file: string): Promise<TimedAnswer> {
  const client = createClient(server.origin, { authorization: `Bearer ${ADMIN_TOKEN}` })
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await client.send('/api/admin/import', { method: 'POST', headers, file })
  client.close()
  if (answer.status !== 200) throw new Error(`import: ${answer.status} ${answer.body.toString().slice(0, 500)}`)
  return answer
}

/** Writes `first` and then the listings from `from` to before `to`, one a line. The file is made beforehand, so that sending it costs almost nothing. */
export async function writeLines(
  file: string,
  first: object[],
  from: number,
  to: number,
  edition: number,
): Promise<void> {
  const stream = createWriteStream(file)
  for (const entry of first) stream.write(`${JSON.stringify(entry)}\n`)
  for (let number = from; number < to; number++)
    if (!stream.write(`${JSON.stringify(listing(number, edition))}\n`)) await once(stream, 'drain')
  stream.end()
  await once(stream, 'finish')
}

/** One call of the operator API, or of a partner with its key. */
export async function call<T = any>(
  server: Pick<Server, 'origin'>,
  method: string,
  path: string,
  body?: object,
  key = ADMIN_TOKEN,
): Promise<T> {
  const response = await fetch(server.origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text).data
}

export const newKey = async (server: Server, email = 'bench@example.com', plan = 'premium'): Promise<string> =>
  (await call(server, 'POST', '/api/admin/keys', { email, plan })).key

/**
 * Imports the taxonomy and `count` listings with a server that then ends, because an import needs more memory for a moment. The measured
 * server starts with a full catalog.
 */
export async function fillCatalog(dataDir: string, settings: Record<string, string>, count: number): Promise<void> {
  const file = join(folder, 'listings.ndjson')
  await writeLines(file, [...taxonomy()], 0, count, 0)
  const server = await startServer(dataDir, settings)
  await importFile(server, file)
  await catalogFileWritten(dataDir, count)
  await server.end()
}

/**
 * Call it after an import: waits until the catalog file has been written since. The next start then reads the catalog from its file, as any
 * but the first does, if it has the same PUBLIC_URL.
 */
export async function catalogFileWritten(dataDir: string, count: number): Promise<void> {
  const [since, end] = [Date.now(), Date.now() + FILE_MS]
  const isWritten = () => (statSync(join(dataDir, 'catalog'), { throwIfNoEntry: false })?.mtimeMs ?? 0) > since
  while (count >= LEAST_IN_FILE && !isWritten() && Date.now() < end) await sleep(200)
}

/** Slugs of tools among the first listings. */
export const someToolSlugs = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => listing(number))
    .filter(({ kind }) => kind === 'tool')
    .map(({ slug }) => slug)
