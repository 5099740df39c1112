// What an operator does before and during the measurements: import files of listings and issue a key.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { listing } from './catalog.ts'
import { type Answer, createClient } from './load.ts'
import { ADMIN_TOKEN, type Server } from './processes.ts'

export async function importFile(server: Server, file: string): Promise<Answer> {
  const client = createClient(server.origin, { authorization: `Bearer ${ADMIN_TOKEN}` })
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await client.send('/api/admin/import', { method: 'POST', headers, file })
  client.close()
  if (answer.status !== 200) throw new Error(`import: ${answer.status} ${answer.body.toString().slice(0, 500)}`)
  return answer
}

/** `first`, then the listings from `from` to before `to`, one a line: made beforehand, so that the sender costs next to nothing. */
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

export async function newKey(server: Server): Promise<string> {
  const response = await fetch(`${server.origin}/api/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'bench@example.com', plan: 'premium' }),
  })
  return ((await response.json()) as { data: { key: string } }).data.key
}
